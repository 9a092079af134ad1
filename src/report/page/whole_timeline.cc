#include "report/page/whole_timeline.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <vector>

#include "report/page/json_text.h"
#include "report/page/shown_history.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::size_t kMostLanes = 2000;
constexpr std::size_t kMostOfNames = 400'000;  // bytes of ids that are no numbers

enum class DrawnClock { kClient, kDatabase, kByPlace };

struct DrawnBar {
  TxnId txn;
  std::int64_t from, to;
};

// Whether it has a time by this clock, and which.
bool bar_of(const History& h, DrawnClock clock, TxnId t, DrawnBar& bar) {
  bar.txn = t;
  switch (clock) {
    case DrawnClock::kClient:
      bar.from = h.begin(t);
      bar.to = h.end(t) == kNoTime ? bar.from : h.end(t);
      break;
    case DrawnClock::kDatabase:
      bar.from = h.start_ts(t) == kNoTime ? h.commit_ts(t) : h.start_ts(t);
      bar.to = h.commit_ts(t) == kNoTime ? bar.from : h.commit_ts(t);
      break;
    case DrawnClock::kByPlace:
      bar.from = raw(t);
      bar.to = bar.from + 1;
      break;
  }
  bar.to = std::max(bar.to, bar.from);
  return bar.from != kNoTime;
}

DrawnClock drawn_clock(const History& h) {
  if (!h.columns().begin.empty()) return DrawnClock::kClient;
  return h.columns().commit_ts.empty() ? DrawnClock::kByPlace : DrawnClock::kDatabase;
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kLetters[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::set<TxnId> members_of(const Verdict& verdict) {
  std::set<TxnId> members;
  for (const Anomaly& a : verdict.anomalies) {
    members.insert(a.transactions.begin(), a.transactions.end());
    for (const Step& step : a.steps) members.insert({step.from, step.to});
  }
  members.erase(kNoTxn);
  return members;
}

// The ids, as numbers where they all are; else as texts where those are short; else nothing: places are shown.
struct DrawnNames {
  std::vector<std::int64_t> numbers;
  std::string texts;  // a JSON list
};
DrawnNames names_of(const History& h, const std::vector<DrawnBar>& bars) {
  DrawnNames names;
  for (const DrawnBar& bar : bars) {
    const std::string text = h.txn_text(bar.txn);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) break;
    names.numbers.push_back(number);
  }
  if (names.numbers.size() == bars.size()) return names;
  names.numbers.clear();
  names.texts = json_list(
      bars, [&](const DrawnBar& bar) { return json_string(words::shortened(h.txn_text(bar.txn), kLongestName)); });
  if (names.texts.size() > kMostOfNames) names.texts.clear();
  return names;
}

std::vector<DrawnBar> drawn_bars(const History& h, DrawnClock clock, const std::set<TxnId>& members, std::size_t most) {
  const std::size_t every = h.txn_count() <= most ? 1 : (h.txn_count() + most - 1) / most;
  std::vector<DrawnBar> bars;
  DrawnBar bar{};
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (t % every != 0 && !members.contains(TxnId{t})) continue;
    if (raw(h.session(TxnId{t})) < kMostLanes && bar_of(h, clock, TxnId{t}, bar)) bars.push_back(bar);
  }
  std::ranges::stable_sort(bars, {}, &DrawnBar::from);
  return bars;
}

}  // namespace

std::string whole_timeline_json(const History& h, const Verdict& verdict, bool nanoseconds, std::size_t most) {
  const DrawnClock clock = drawn_clock(h);
  const std::set<TxnId> members = members_of(verdict);
  const std::vector<DrawnBar> bars = drawn_bars(h, clock, members, most);
  if (bars.empty()) return {};
  const std::int64_t low = bars.front().from;
  std::int64_t high = low;
  for (const DrawnBar& bar : bars) high = std::max(high, bar.to);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t tick = (span >> 30) + 1;  // what one step of the picture's times stands for
  const auto place = [&](std::int64_t time) {
    return (static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(low)) / tick;
  };
  const DrawnNames names = names_of(h, bars);
  std::string bytes;
  std::uint64_t before = 0;
  std::int64_t id_before = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const DrawnBar& bar = bars[i];
    const std::uint64_t from = place(bar.from);
    put_varint(from - before, bytes);
    put_varint(place(bar.to) - from, bytes);
    const std::uint64_t flags = static_cast<std::uint64_t>(h.status(bar.txn)) | (members.contains(bar.txn) ? 4U : 0U);
    put_varint(std::uint64_t{raw(h.session(bar.txn))} << 3 | flags, bytes);
    if (names.texts.empty()) {
      const std::int64_t id = names.numbers.empty() ? static_cast<std::int64_t>(raw(bar.txn)) : names.numbers[i];
      // Differences wrap around, as they do where they are added up.
      put_varint(
          zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(id_before))),
          bytes);
      id_before = id;
    }
    before = from;
  }
  std::vector<std::string> lanes;
  for (std::uint32_t s = 0; s < std::min<std::size_t>(h.session_count(), kMostLanes); ++s)
    lanes.push_back(words::shortened(h.session_text(SessionId{s}), kLongestName));
  constexpr std::string_view kClocks[] = {"client", "database", "place"};
  JsonObject out;
  out.text("clock", kClocks[static_cast<std::size_t>(clock)]);
  out.text("unit", clock == DrawnClock::kClient && nanoseconds ? "ns" : "");
  out.number("count", bars.size()).number("of", h.txn_count());
  // As text: beyond 2^53 a number of JavaScript is not exact.
  out.text("low", std::to_string(low)).number("tick", tick);
  out.raw("lanes", json_list(lanes, [](const std::string& name) { return json_string(name); }));
  out.truth("numbered", !names.numbers.empty());
  if (!names.texts.empty()) out.raw("ids", names.texts);
  return out.text("bars", base64(bytes)).done();
}

}  // namespace isolde
