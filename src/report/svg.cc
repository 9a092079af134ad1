#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawn_cycle.h"
#include "report/explain_anomaly.h"
#include "report/json.h"

namespace isolde {
namespace {

constexpr double kLetter = 7.3, kRow = 18, kMargin = 20;
constexpr std::size_t kBoxes = 8, kLines = 8;

// JSON's escapes stand for what XML cannot hold; its own are taken back.
std::string xml(std::string_view text) {
  const std::string safe = json_string(text);
  std::string out;
  for (std::size_t i = 1; i + 1 < safe.size(); ++i) {
    if (safe[i] == '\\' && (safe[i + 1] == '"' || safe[i + 1] == '\\')) ++i;
    switch (safe[i]) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += safe[i];
    }
  }
  return out;
}

double width_of(std::string_view text) {
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(letters) * kLetter;
}

std::string text_at(double x, double y, std::string_view what, std::string_view more = {}) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\"{}>{}</text>\n", x, y, more, xml(what));
}

std::string_view colour_of(const DrawnArrow& arrow) {
  return arrow.label.starts_with("rw") ? "#c2410c" : arrow.is_gap ? "#8a9099" : "#33415c";
}

struct Picture {
  std::string svg;
  double width = 0, height = 0;
};

// Boxes from left to right; the last arrow goes back below them.
Picture draw(const DrawnCycle& cycle, double top) {
  Picture out;
  double x = kMargin, tallest = 0;
  std::vector<double> left, right;
  for (std::size_t i = 0; i < cycle.boxes.size(); ++i) {
    const DrawnBox& box = cycle.boxes[i];
    double width = width_of(box.title);
    for (const std::string& line : box.lines) width = std::max(width, width_of(line));
    width += 20;
    const double height = 30 + kRow * static_cast<double>(box.lines.size());
    tallest = std::max(tallest, height);
    out.svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\" fill=\"#ffffff\" "
        "stroke=\"#8a9099\"/>\n",
        x, top, width, height);
    out.svg += text_at(x + 10, top + 18, box.title, " font-weight=\"bold\"");
    for (std::size_t line = 0; line < box.lines.size(); ++line)
      out.svg += text_at(x + 10, top + 36 + kRow * static_cast<double>(line), box.lines[line]);
    left.push_back(x);
    right.push_back(x + width);
    x += width + width_of(cycle.arrows[i].label) + 40;
  }
  const auto line = [&](const DrawnArrow& arrow, const std::string& path, double label_x, double label_y) {
    out.svg +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} marker-end=\"url(#tip)\"/>\n",
                    path, colour_of(arrow), arrow.is_gap ? " stroke-dasharray=\"5 4\"" : "");
    out.svg += text_at(label_x, label_y, arrow.label,
                       fmt::format(" text-anchor=\"middle\" font-weight=\"bold\" fill=\"{}\"", colour_of(arrow)));
  };
  const double y = top + 34;
  for (std::size_t i = 0; i + 1 < cycle.boxes.size(); ++i)
    line(cycle.arrows[i], fmt::format("M{:.0f},{:.0f} L{:.0f},{:.0f}", right[i], y, left[i + 1] - 2, y),
         (right[i] + left[i + 1]) / 2, y - 7);
  const double from = (left.back() + right.back()) / 2, to = (left.front() + right.front()) / 2;
  const double below = top + tallest + 34;
  line(cycle.arrows.back(),
       fmt::format("M{:.0f},{:.0f} V{:.0f} H{:.0f} V{:.0f}", from,
                   top + 30 + kRow * static_cast<double>(cycle.boxes.back().lines.size()), below, to,
                   top + 32 + kRow * static_cast<double>(cycle.boxes.front().lines.size())),
       (from + to) / 2, below - 7);
  out.width = right.back() + kMargin;
  out.height = tallest + 50;
  return out;
}

}  // namespace

std::string render_svg(const Report& r, std::size_t most) {
  std::string body;
  double y = kMargin, width = 320;
  const auto say = [&](std::string_view text, std::string_view more) {
    y += 16;
    body += text_at(kMargin, y, text, more);
    width = std::max(width, width_of(text) + 2 * kMargin);
    y += 6;
  };
  const std::size_t count = std::min(most, r.verdict.anomalies.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Anomaly& a = r.verdict.anomalies[i];
    const Explanation e = explain(r.history, a);
    say(e.title, " font-weight=\"bold\"");
    if (const auto cycle = drawn_cycle(r.history, a, kBoxes, kLines)) {
      const Picture picture = draw(*cycle, y + 8);
      body += picture.svg;
      y += picture.height + 8;
      width = std::max(width, picture.width);
    } else {
      for (const std::string& line : e.lines) say(line, {});
    }
    say(e.contradiction, {});
    y += 24;
  }
  if (count == 0) say(fmt::format("{}: no anomalies", r.file), {});
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"monospace\" font-size=\"12\" fill=\"#1d2129\">\n"
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
      "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#33415c\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf8\"/>\n{2}</svg>\n",
      width, y + kMargin, body);
}

}  // namespace isolde
