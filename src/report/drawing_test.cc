// Cycles drawn with box characters and as SVG.
#include <gtest/gtest.h>

#include "history/history_builder.h"
#include "report/box_drawing.h"
#include "report/page/page_testing.h"
#include "report/svg.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace drawing_test {

TEST(BoxDrawing, AWriteSkew) {
  const History h = hist("T1: r y_ w x1 | T2: r x_ w y1");
  const auto cycle = drawn_cycle(h, cycle_of(h, {TxnId{0}, TxnId{1}}), 4, 6);
  ASSERT_TRUE(cycle);
  EXPECT_EQ(box_drawing(*cycle, 2, 80),
            "  ┌ T1 ────────────┐        ┌ T2 ────────────┐\n"
            "  │ found y absent │  rw y  │ found x absent │\n"
            "  │ wrote x = 1    │───────▶│ wrote y = 1    │\n"
            "  └────────────────┘        └────────────────┘\n"
            "           ▲                        │\n"
            "           └──────────rw x──────────┘\n");
}

TEST(BoxDrawing, OnANarrowTerminalBoxesStandBelowEachOther) {
  const History h = hist("T1: r y_ w x1 | T2: r z_ w y1 | T3: r x_ w z1");
  const auto cycle = drawn_cycle(h, cycle_of(h, {TxnId{0}, TxnId{1}, TxnId{2}}), 4, 6);
  ASSERT_TRUE(cycle);
  EXPECT_EQ(box_drawing(*cycle, 2, 40),
            "  ┌ T1 ────────────┐\n"
            "  │ found y absent │◀───┐\n"
            "  │ wrote x = 1    │    │\n"
            "  └────────────────┘    │\n"
            "        │ rw y          │\n"
            "        ▼               │\n"
            "  ┌ T2 ────────────┐    │\n"
            "  │ found z absent │    │ rw x\n"
            "  │ wrote y = 1    │    │\n"
            "  └────────────────┘    │\n"
            "        │ rw z          │\n"
            "        ▼               │\n"
            "  ┌ T3 ────────────┐    │\n"
            "  │ found x absent │────┘\n"
            "  │ wrote z = 1    │\n"
            "  └────────────────┘\n");
}

TEST(BoxDrawing, WhatDoesNotFitOrMeasureIsNotDrawn) {
  const History h = hist("T1: r y_ w x1 | T2: r x_ w y1");
  auto cycle = drawn_cycle(h, cycle_of(h, {TxnId{0}, TxnId{1}}), 4, 6);
  ASSERT_TRUE(cycle);
  EXPECT_EQ(box_drawing(*cycle, 2, 28), "");
  cycle->boxes[0].lines[0] = "日本";
  EXPECT_EQ(box_drawing(*cycle, 2, 80), "");
}

TEST(DrawnCycle, OnlyACycleThroughTransactionsIsOne) {
  const History h = hist("T1: r y_ w x1 | T2: r x_ w y1");
  Anomaly a = cycle_of(h, {TxnId{0}, TxnId{1}});
  a.steps.pop_back();
  EXPECT_FALSE(drawn_cycle(h, a, 4, 6));
  a.steps.clear();
  EXPECT_FALSE(drawn_cycle(h, a, 4, 6));
}

TEST(DrawnCycle, ALongOneIsCut) {
  HistoryBuilder b;
  std::vector<TxnId> all;
  for (std::uint32_t i = 0; i < 100; ++i) {
    b.begin_txn(b.session(i));
    b.read(b.key(i), kNullValue);
    b.write(b.key(i), b.values().integer(1));
    b.end_txn();
    all.push_back(TxnId{i});
  }
  const History h = *b.finish();
  const auto cycle = drawn_cycle(h, cycle_of(h, all), 6, 6);
  ASSERT_TRUE(cycle);
  EXPECT_LE(cycle->boxes.size(), 12U);
  EXPECT_EQ(cycle->boxes.size(), cycle->arrows.size());
}

// `count` transactions, each of which reads the key that the next one writes.
History ring_of(std::uint32_t count) {
  HistoryBuilder b;
  for (std::uint32_t i = 0; i < count; ++i) {
    b.begin_txn(b.session(i));
    b.read(b.key("a key with a name that is rather long " + std::to_string((i + 1) % count)), kNullValue);
    b.write(b.key("a key with a name that is rather long " + std::to_string(i)), b.values().integer(1));
    b.end_txn();
  }
  return *b.finish();
}

double number_after(std::string_view text, std::string_view what) {
  return std::stod(std::string(text.substr(text.find(what) + what.size(), 12)));
}

TEST(Svg, ALongCycleStandsInTwoColumns) {
  for (const std::uint32_t count : {3U, 4U, 7U, 30U}) {
    const History h = ring_of(count);
    std::vector<TxnId> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back(TxnId{i});
    Verdict v = violated_at(Level::kSerializable);
    v.anomalies.push_back(cycle_of(h, all));
    const std::string svg = render_svg(report_on(h, v), 1);
    EXPECT_LE(number_after(svg, " width=\""), 1000) << count;
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
  }
}

TEST(Svg, HostileNamesStayText) {
  HistoryBuilder b;
  const std::string hostile = "</text><script>alert(1)</script>&\"\x01\xff";
  for (int i = 0; i < 2; ++i) {
    b.begin_txn(b.session(i));
    b.set_id(b.values().string(hostile + std::to_string(i)));
    b.read(b.key(hostile + std::to_string(i)), kNullValue);
    b.write(b.key(hostile + std::to_string(1 - i)), b.values().string(hostile));
    b.end_txn();
  }
  const History h = *b.finish();
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, {TxnId{0}, TxnId{1}}));
  const std::string svg = render_svg(report_on(h, v), 3);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace drawing_test
}  // namespace isolde
