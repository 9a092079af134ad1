#include "report/box_drawing.h"

#include <algorithm>

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

}  // namespace

std::string box_drawing(const DrawnCycle& given, std::size_t indent, std::size_t width) {
  DrawnCycle cycle = given;
  if (cycle.boxes.size() < 2 || cycle.arrows.size() != cycle.boxes.size()) return {};
  bool plain = true;
  std::size_t height = 2, total = indent;
  std::vector<std::size_t> inner;
  for (DrawnBox& box : cycle.boxes) {
    plain &= make_plain(box.title);
    for (std::string& line : box.lines) plain &= make_plain(line);
    height = std::max(height, box.lines.size());
    inner.push_back(inner_width(box));
    total += inner.back() + 4;
  }
  for (DrawnArrow& arrow : cycle.arrows) plain &= make_plain(arrow.label);
  const std::size_t count = cycle.boxes.size();
  for (std::size_t i = 0; i + 1 < count; ++i) total += cycle.arrows[i].label.size() + 4;
  if (!plain || total > width) return {};

  const std::string margin(indent, ' ');
  std::string top = margin, bottom = margin;
  std::vector<std::string> rows(height, margin);
  for (std::size_t i = 0; i < count; ++i) {
    const DrawnBox& box = cycle.boxes[i];
    top += "┌ " + box.title + " " + repeated("─", inner[i] - box.title.size()) + "┐";
    bottom += "└" + repeated("─", inner[i] + 2) + "┘";
    for (std::size_t row = 0; row < height; ++row)
      rows[row] += "│ " + padded(row < box.lines.size() ? box.lines[row] : std::string(), inner[i]) + " │";
    if (i + 1 == count) break;
    const std::string& label = cycle.arrows[i].label;
    const std::size_t gap = label.size() + 4;
    top += std::string(gap, ' ');
    bottom += std::string(gap, ' ');
    for (std::size_t row = 0; row < height; ++row) {
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
  const std::size_t first = indent + (inner.front() + 4) / 2, last = total - (inner.back() + 4) / 2 - 1;
  const std::string& label = cycle.arrows.back().label;
  if (last <= first + label.size() + 2) return {};
  const std::size_t line = last - first - 1 - label.size();
  std::string out = top + "\n";
  for (const std::string& row : rows) out += row + "\n";
  out += bottom + "\n" + std::string(first, ' ') + "▲" + std::string(last - first - 1, ' ') + "│\n";
  out += std::string(first, ' ') + "└" + repeated("─", line / 2) + label + repeated("─", line - line / 2) + "┘\n";
  return out;
}

}  // namespace isolde
