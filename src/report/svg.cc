#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawn_cycle.h"
#include "report/explain_anomaly.h"
#include "report/json.h"
#include "report/xml.h"

namespace isolde {
namespace {

constexpr double kLetter = 7.3, kRow = 18, kMargin = 20;
constexpr double kWidest = 900;  // what a page of a paper can hold in a line
constexpr std::size_t kMostBoxes = 8, kMostLines = 8;

// JSON's escapes stand for what XML cannot hold; its own are taken back.
std::string xml(std::string_view text) {
  const std::string safe = json_string(text);
  std::string plain;
  for (std::size_t i = 1; i + 1 < safe.size(); ++i) {
    if (safe[i] == '\\' && (safe[i + 1] == '"' || safe[i + 1] == '\\')) ++i;
    plain += safe[i];
  }
  return xml_escaped(plain);
}

double width_of(std::string_view text) {
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(letters) * kLetter;
}

std::string text_at(double x, double y, std::string_view what, std::string_view more = {}) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\"{}>{}</text>\n", x, y, more, xml(what));
}

// Of what is left out; anti-dependencies; writes after writes; reads of writes; any other.
constexpr std::string_view kColours[] = {"#8a9099", "#c2410c", "#6b4fbb", "#1f6fb5", "#33415c"};

std::string_view colour_of(const DrawnArrow& arrow) {
  if (arrow.is_gap) return kColours[0];
  const std::string_view type = std::string_view(arrow.label).substr(0, 2);
  return kColours[type == "rw" ? 1 : type == "ww" ? 2 : type == "wr" ? 3 : 4];
}

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
  [[nodiscard]] double centre() const { return x + width / 2; }
};

struct Picture {
  std::string svg;
  double width = 0, height = 0;
};

Rect size_of(const DrawnBox& box) {
  double width = width_of(box.title);
  for (const std::string& line : box.lines) width = std::max(width, width_of(line));
  return {.width = width + 20, .height = 30 + kRow * static_cast<double>(box.lines.size())};
}

std::string drawn(const DrawnBox& box, const Rect& at) {
  std::string out = fmt::format(
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\" fill=\"#ffffff\" "
      "stroke=\"#8a9099\"/>\n",
      at.x, at.y, at.width, at.height);
  out += text_at(at.x + 10, at.y + 18, box.title, " font-weight=\"bold\"");
  for (std::size_t i = 0; i < box.lines.size(); ++i) {
    const double y = at.y + 36 + kRow * static_cast<double>(i);
    if (box.is_named[i])
      out += fmt::format(
          "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"3\" fill=\"#fff3c4\"/>\n", at.x + 4,
          y - 13, at.width - 8, kRow);
    out += text_at(at.x + 10, y, box.lines[i]);
  }
  return out;
}

// `anchor`: of the label at (x, y): start, middle or end.
std::string drawn(const DrawnArrow& arrow, const std::string& path, double x, double y, std::string_view anchor) {
  const std::string_view colour = colour_of(arrow);
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} marker-end=\"url(#tip{})\"/>\n",
                     path, colour, arrow.is_gap ? " stroke-dasharray=\"5 4\"" : "", colour.substr(1)) +
         text_at(x, y, arrow.label,
                 fmt::format(" text-anchor=\"{}\" font-weight=\"bold\" fill=\"{}\"", anchor, colour));
}

// Boxes from left to right; the last arrow goes back below them.
Picture in_a_line(const DrawnCycle& cycle, double top) {
  Picture out;
  std::vector<Rect> at;
  double x = kMargin, tallest = 0;
  for (std::size_t i = 0; i < cycle.boxes.size(); ++i) {
    at.push_back(size_of(cycle.boxes[i]));
    at[i].x = x;
    at[i].y = top;
    tallest = std::max(tallest, at[i].height);
    x = at[i].right() + width_of(cycle.arrows[i].label) + 40;
    out.svg += drawn(cycle.boxes[i], at[i]);
  }
  const double y = top + 34;
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    out.svg +=
        drawn(cycle.arrows[i], fmt::format("M{:.0f},{:.0f} L{:.0f},{:.0f}", at[i].right(), y, at[i + 1].x - 2, y),
              (at[i].right() + at[i + 1].x) / 2, y - 7, "middle");
  const Rect &last = at.back(), &first = at.front();
  const double below = top + tallest + 34;
  out.svg += drawn(cycle.arrows.back(),
                   fmt::format("M{:.0f},{:.0f} V{:.0f} H{:.0f} V{:.0f}", last.centre(), last.bottom(), below,
                               first.centre(), first.bottom() + 2),
                   (last.centre() + first.centre()) / 2, below - 7, "middle");
  out.width = last.right() + kMargin;
  out.height = tallest + 50;
  return out;
}

// Two columns, clockwise: the first box on the left, then down on the right, then up on the left.
Picture in_two_columns(const DrawnCycle& cycle, double top) {
  Picture out;
  const std::size_t count = cycle.boxes.size(), on_right = count / 2;
  std::vector<Rect> at;
  double widths[2] = {0, 0};  // left, right
  const auto is_right = [&](std::size_t i) { return i >= 1 && i <= on_right; };
  for (std::size_t i = 0; i < count; ++i) {
    at.push_back(size_of(cycle.boxes[i]));
    widths[is_right(i)] = std::max(widths[is_right(i)], at[i].width);
  }
  const double between = std::max(width_of(cycle.arrows[0].label), width_of(cycle.arrows[on_right].label)) + 60;
  const auto put = [&](std::size_t i, double x, double& y) {
    at[i].x = x;
    at[i].y = y;
    at[i].width = widths[is_right(i)];
    y = at[i].bottom() + 44;
    out.svg += drawn(cycle.boxes[i], at[i]);
  };
  double left = top, right = top;
  const double right_x = kMargin + widths[0] + between;
  put(0, kMargin, left);
  for (std::size_t i = count - 1; i > on_right; --i) put(i, kMargin, left);
  for (std::size_t i = 1; i <= on_right; ++i) put(i, right_x, right);

  for (std::size_t i = 0; i < count; ++i) {
    const Rect &from = at[i], &to = at[(i + 1) % count];
    if (is_right(i) == is_right((i + 1) % count)) {
      const bool down = from.y < to.y;
      const double x = from.x + 40, start = down ? from.bottom() : from.y, end = down ? to.y - 2 : to.bottom() + 2;
      out.svg += drawn(cycle.arrows[i], fmt::format("M{:.0f},{:.0f} V{:.0f}", x, start, end), x + 9,
                       (start + end) / 2 + 4, "start");
      continue;
    }
    const bool to_right = from.x < to.x;
    const double start = to_right ? from.right() : from.x, end = to_right ? to.x - 2 : to.right() + 2;
    const double middle = (start + end) / 2, from_y = to_right ? from.y + 34 : from.bottom() - 12;
    const double to_y = to.y + 34;
    out.svg += drawn(cycle.arrows[i],
                     fmt::format("M{0:.0f},{1:.0f} C{2:.0f},{1:.0f} {2:.0f},{3:.0f} {4:.0f},{3:.0f}", start, from_y,
                                 middle, to_y, end),
                     to_right ? start + 8 : end + 8, to_right ? from_y - 7 : to_y + 18, "start");
  }
  out.width = right_x + widths[1] + kMargin;
  out.height = std::max(left, right) - 44 - top + 12;
  return out;
}

Picture draw(const DrawnCycle& cycle, double top) {
  Picture line = in_a_line(cycle, top);
  return cycle.boxes.size() > 2 && line.width > kWidest ? in_two_columns(cycle, top) : line;
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
    if (const auto cycle = drawn_cycle(r.history, a, kMostBoxes, kMostLines)) {
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
  std::string tips;  // an arrow's tip has its colour
  for (const std::string_view colour : kColours)
    tips += fmt::format(
        "<marker id=\"tip{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#{0}\"/></marker>",
        colour.substr(1));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"monospace\" font-size=\"12\" fill=\"#1d2129\">\n"
      "<defs>{3}</defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf8\"/>\n{2}</svg>\n",
      width, y + kMargin, body, tips);
}

}  // namespace isolde
