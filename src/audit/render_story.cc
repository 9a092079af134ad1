#include "audit/render_story.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/words.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kLinesOfStatement = 4;  // of one that takes part
constexpr std::string_view kDim = "\033[2m";

struct StepCell {
  std::uint32_t member;
  std::vector<std::string> lines;
  std::size_t dim_from;  // lines from here on are remarks
};

bool takes_part(const StoryStep& step) {
  return !step.remark.empty() || step.kind == Event::Kind::kStart || step.kind == Event::Kind::kCommit;
}

StepCell cell_of(const StoryStep& step, std::size_t width) {
  StepCell cell{step.member, {}, 0};
  std::string sql = one_line(step.sql);
  if (step.kind == Event::Kind::kContinues && sql.empty()) sql = "(goes on)";
  cell.lines = wrapped(words::shortened(std::move(sql), takes_part(step) ? kLinesOfStatement * width : width), width);
  cell.dim_from = cell.lines.size();
  if (!step.remark.empty()) {
    for (std::string& line : wrapped(step.remark, width - 3)) cell.lines.push_back("-- " + std::move(line));
  }
  return cell;
}

std::vector<StepCell> cells_of(std::span<const StoryStep> steps, std::size_t width) {
  std::vector<StepCell> cells;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i;
    while (end < steps.size() && !takes_part(steps[end]) && steps[end].member == steps[i].member) ++end;
    if (end - i > 1) {
      cells.push_back({steps[i].member, {fmt::format("… {} statements", end - i)}, 0});
      i = end;
    } else {
      cells.push_back(cell_of(steps[i], width));
      ++i;
    }
  }
  return cells;
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string one_line(std::string_view sql) {
  std::string out;
  for (const char c : sql) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!space && !control) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 8);
  std::vector<std::string> lines;
  while (!text.empty()) {
    // `end`: as far as it fits; `blank`: the last blank before it.
    std::size_t end = 0, used = 0, blank = std::string_view::npos;
    while (end < text.size()) {
      std::size_t next = end + 1;
      while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
      if (used == width) break;
      if (text[end] == ' ' && end > 0) blank = end;
      ++used;
      end = next;
    }
    if (end < text.size() && text[end] == ' ') blank = end;
    if (end < text.size() && blank != std::string_view::npos) end = blank;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return lines;
}

std::string steps_text(std::span<const StoryStep> steps, std::size_t members, std::string_view who, std::size_t width,
                       Colour colour) {
  members = std::max<std::size_t>(members, 1);
  constexpr std::size_t kIndent = 3;
  const std::size_t between = 3 * (members - 1);
  const std::size_t column =
      std::max<std::size_t>((std::max(width, kIndent + between) - kIndent - between) / members, 20);
  std::string out(kIndent, ' ');
  for (std::size_t m = 0; m < members; ++m)
    out += (m == 0 ? "" : " | ") + padded(fmt::format("{}{}", who, m + 1), m + 1 == members ? 0 : column);
  out += '\n';
  const bool dim = colour == Colour::kAlways;
  for (const StepCell& cell : cells_of(steps, column)) {
    for (std::size_t i = 0; i < cell.lines.size(); ++i) {
      std::string line(kIndent, ' ');
      for (std::size_t m = 0; m < members; ++m) {
        if (m > 0) line += " | ";
        if (m != cell.member) {
          line += std::string(column, ' ');
          continue;
        }
        const bool remark = dim && i >= cell.dim_from;
        line += fmt::format("{}{}{}", remark ? kDim : "", cell.lines[i], remark ? kEndOfColour : "");
        if (m + 1 < members) line += std::string(column - std::min(column, width_of(cell.lines[i])), ' ');
      }
      while (line.ends_with(' ')) line.pop_back();
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace isolde::audit
