#include "report/box_drawing.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace isolde {
namespace {

// Replaces the shortening's "…", and tells whether all the rest is one column a byte.
bool make_plain(std::string& text) {
  for (std::size_t at = text.find("…"); at != std::string::npos; at = text.find("…")) text.replace(at, 3, "..");
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string repeated(std::string_view what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

std::size_t inner_width(const DrawnBox& box) {
  std::size_t width = box.title.size() + 1;
  for (const std::string& line : box.lines) width = std::max(width, line.size());
  return width;
}

std::string padded(const std::string& text, std::size_t width) { return text + std::string(width - text.size(), ' '); }

std::string upper_edge(const DrawnBox& box, std::size_t inner) {
  return "┌ " + box.title + " " + repeated("─", inner - box.title.size()) + "┐";
}

std::string lower_edge(std::size_t inner) { return "└" + repeated("─", inner + 2) + "┘"; }

struct Measured {
  std::vector<std::size_t> inner;  // a box each: letters between its borders
  std::size_t height = 2;          // lines of the longest
};

// Nothing: it has letters whose width is not known.
std::optional<Measured> measured(DrawnCycle& cycle) {
  Measured out;
  bool plain = true;
  for (DrawnBox& box : cycle.boxes) {
    plain &= make_plain(box.title);
    for (std::string& line : box.lines) plain &= make_plain(line);
    out.height = std::max(out.height, box.lines.size());
    out.inner.push_back(inner_width(box));
  }
  for (DrawnArrow& arrow : cycle.arrows) plain &= make_plain(arrow.label);
  return plain ? std::optional(std::move(out)) : std::nullopt;
}

// Boxes beside each other; the last arrow goes back below them.
std::string beside_each_other(const DrawnCycle& cycle, const Measured& m, std::size_t indent, std::size_t width) {
  const std::size_t count = cycle.boxes.size();
  std::size_t total = indent;
  for (std::size_t i = 0; i < count; ++i)
    total += m.inner[i] + 4 + (i + 1 < count ? cycle.arrows[i].label.size() + 4 : 0);
  if (total > width) return {};

  const std::string margin(indent, ' ');
  std::string top = margin, bottom = margin;
  std::vector<std::string> rows(m.height, margin);
  for (std::size_t i = 0; i < count; ++i) {
    const DrawnBox& box = cycle.boxes[i];
    top += upper_edge(box, m.inner[i]);
    bottom += lower_edge(m.inner[i]);
    for (std::size_t row = 0; row < m.height; ++row)
      rows[row] += "│ " + padded(row < box.lines.size() ? box.lines[row] : std::string(), m.inner[i]) + " │";
    if (i + 1 == count) break;
    const std::string& label = cycle.arrows[i].label;
    const std::size_t gap = label.size() + 4;
    top += std::string(gap, ' ');
    bottom += std::string(gap, ' ');
    for (std::size_t row = 0; row < m.height; ++row) {
      if (row == 0) {
        rows[row] += "  " + label + "  ";
      } else if (row == 1) {
        rows[row] += repeated(cycle.arrows[i].is_gap ? "╌" : "─", gap - 1) + "▶";
      } else {
        rows[row] += std::string(gap, ' ');
      }
    }
  }
  // Back below, from the middle of the last to the middle of the first.
  const std::size_t first = indent + (m.inner.front() + 4) / 2, last = total - (m.inner.back() + 4) / 2 - 1;
  const std::string& label = cycle.arrows.back().label;
  if (last <= first + label.size() + 2) return {};
  const std::size_t line = last - first - 1 - label.size();
  std::string out = top + "\n";
  for (const std::string& row : rows) out += row + "\n";
  out += bottom + "\n" + std::string(first, ' ') + "▲" + std::string(last - first - 1, ' ') + "│\n";
  out += std::string(first, ' ') + "└" + repeated("─", line / 2) + label + repeated("─", line - line / 2) + "┘\n";
  return out;
}

// Boxes below each other; the last arrow goes back up on the right.
std::string below_each_other(const DrawnCycle& cycle, const Measured& m, std::size_t indent, std::size_t width) {
  constexpr std::size_t kDown = 6, kBack = 4;  // where arrows go down; from the widest box to the line that goes up
  const std::size_t count = cycle.boxes.size();
  const std::size_t widest = *std::ranges::max_element(m.inner) + 4;
  const std::string& back = cycle.arrows.back().label;
  std::size_t total = indent + widest + kBack + 2 + back.size();
  for (const DrawnArrow& arrow : cycle.arrows) total = std::max(total, indent + kDown + 3 + arrow.label.size());
  if (total > width) return {};

  // Every line first to where it ends on the left, with that place; then with the line that goes up.
  std::vector<std::pair<std::string, std::size_t>> lines;
  std::size_t leads_to = 0, comes_from = 0;  // of the last arrow
  for (std::size_t i = 0; i < count; ++i) {
    const DrawnBox& box = cycle.boxes[i];
    const std::size_t edge = m.inner[i] + 4;
    lines.emplace_back(upper_edge(box, m.inner[i]), edge);
    (i == 0 ? leads_to : comes_from) = lines.size();
    for (const std::string& line : box.lines) lines.emplace_back("│ " + padded(line, m.inner[i]) + " │", edge);
    if (box.lines.empty()) lines.emplace_back("│ " + padded({}, m.inner[i]) + " │", edge);
    lines.emplace_back(lower_edge(m.inner[i]), edge);
    if (i + 1 == count) break;
    const std::string down(kDown, ' ');
    lines.emplace_back(down + (cycle.arrows[i].is_gap ? "╎ " : "│ ") + cycle.arrows[i].label,
                       kDown + 2 + cycle.arrows[i].label.size());
    lines.emplace_back(down + "▼", kDown + 1);
  }
  const std::size_t up = widest + kBack, label_at = (leads_to + comes_from) / 2;
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += std::string(indent, ' ') + lines[i].first;
    const std::size_t rest = up > lines[i].second ? up - lines[i].second : 0;
    if (i == leads_to) {
      out += "◀" + repeated("─", rest - 1) + "┐";
    } else if (i == comes_from) {
      out += repeated("─", rest) + "┘";
    } else if (i > leads_to && i < comes_from && rest > 0) {
      out += std::string(rest, ' ') + "│" + (i == label_at ? " " + back : "");
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string box_drawing(const DrawnCycle& given, std::size_t indent, std::size_t width) {
  DrawnCycle cycle = given;
  if (cycle.boxes.size() < 2 || cycle.arrows.size() != cycle.boxes.size()) return {};
  const auto m = measured(cycle);
  if (!m) return {};
  const std::string wide = beside_each_other(cycle, *m, indent, width);
  return wide.empty() ? below_each_other(cycle, *m, indent, width) : wide;
}

}  // namespace isolde
