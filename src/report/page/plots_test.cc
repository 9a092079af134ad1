// Plots of a run: rates and latencies from the clients' intervals.
#include "report/page/plots.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <limits>

#include "history/history_builder.h"

namespace isolde {
namespace plots_test {

// A thousand transactions a second of a clock of nanoseconds, 5 ms each, every tenth aborted.
History recorded(std::uint32_t count, std::int64_t start = 0) {
  HistoryBuilder b;
  b.set_about("register on SQLite, serializable, 8 clients, seed 1");
  for (std::uint32_t i = 0; i < count; ++i) {
    b.begin_txn(b.session(i % 8));
    b.set_begin(start + 1'000'000LL * i);
    b.set_end(start + 1'000'000LL * i + 5'000'000);
    if (i % 10 == 0) b.set_status(Status::kAborted);
    b.write(b.key("x"), b.values().integer(i));
    b.end_txn();
  }
  return *b.finish();
}

struct Plots {
  explicit Plots(const std::string& json_text) : text(json_text) {
    EXPECT_EQ(parser.parse(text).get(json), simdjson::SUCCESS) << json_text;
  }
  [[nodiscard]] double value(std::size_t plot, std::size_t series, std::size_t at) const {
    return json.at(plot)["series"].at(series)["values"].at(at);
  }
  simdjson::padded_string text;
  simdjson::dom::parser parser;
  simdjson::dom::element json;
};

TEST(Plots, RatesAndLatenciesOfARecording) {
  const History h = recorded(10'000, 123'456'789'000'000'000);
  EXPECT_TRUE(has_nanoseconds(h, "native"));
  const Plots plots(plots_json(h, true));
  ASSERT_EQ(plots.json.get_array().size(), 2U);
  EXPECT_EQ(plots.json.at(0)["at"].get_array().size(), 240U);
  EXPECT_NEAR(plots.value(0, 0, 120), 900, 40);
  EXPECT_NEAR(plots.value(0, 1, 120), 100, 40);
  EXPECT_NEAR(plots.value(1, 0, 120), 5, 0.01);
  EXPECT_NEAR(plots.value(1, 1, 120), 5, 0.01);
  EXPECT_NEAR(double(plots.json.at(0)["at"].at(239)), 10, 0.1);
}

TEST(Plots, AClockOfUnknownUnitSaysSo) {
  const Plots plots(plots_json(recorded(1000), false));
  EXPECT_EQ(std::string_view(plots.json.at(0)["unit"]), "");
  EXPECT_EQ(std::string_view(plots.json.at(0)["title"]), "Transactions, by the client's clock");
  EXPECT_EQ(std::string_view(plots.json.at(1)["series"].at(0)["unit"]), "by the client's clock");
}

TEST(Plots, WithoutIntervalsThereIsNothing) {
  HistoryBuilder b;
  for (int i = 0; i < 100; ++i) {
    b.begin_txn(b.session(1));
    b.write(b.key("x"), b.values().integer(i));
    b.end_txn();
  }
  const History h = *b.finish();
  EXPECT_EQ(plots_json(h, true), "[]");
  EXPECT_FALSE(has_nanoseconds(h, "native"));
  EXPECT_TRUE(has_nanoseconds(h, "recording"));
}

TEST(Plots, TimesAtTheEndsOfTheClockDoNotOverflow) {
  HistoryBuilder b;
  for (int i = 0; i < 100; ++i) {
    b.begin_txn(b.session(i));
    b.set_begin(i == 0 ? std::numeric_limits<std::int64_t>::min() + 1 : i);
    b.set_end(i == 1 ? std::numeric_limits<std::int64_t>::max() : i);
    b.end_txn();
  }
  const Plots plots(plots_json(*b.finish(), true));
  EXPECT_EQ(plots.json.get_array().size(), 2U);
}

}  // namespace plots_test
}  // namespace isolde
