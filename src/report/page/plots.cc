#include "report/page/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "report/page/json_text.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::size_t kBuckets = 240;
constexpr std::size_t kFewest = 8;  // transactions: of fewer, a plot shows nothing that the timeline does not

struct Bucket {
  std::uint64_t committed = 0, aborted = 0, unknown = 0;
  std::vector<std::uint64_t> took;  // committed ones
};

struct Span {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
  std::size_t count = 0;
};

bool has_interval(const History& h, TxnId t) {
  return h.begin(t) != kNoTime && h.end(t) != kNoTime && h.end(t) >= h.begin(t);
}

std::uint64_t between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

Span client_span(const History& h) {
  Span span;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (!has_interval(h, TxnId{t})) continue;
    span.low = std::min(span.low, h.begin(TxnId{t}));
    span.high = std::max(span.high, h.end(TxnId{t}));
    ++span.count;
  }
  return span;
}

// The wider of the runs that are worth it: as many buckets as give each some transactions.
std::size_t buckets_for(std::size_t count) { return std::clamp<std::size_t>(count / 4, 4, kBuckets); }

std::string number(double value) { return fmt::format("{:.6g}", value); }

double part(std::vector<std::uint64_t>& took, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(took.size() - 1) + 0.5);
  std::nth_element(took.begin(), took.begin() + place, took.end());
  return static_cast<double>(took[static_cast<std::size_t>(place)]);
}

template <typename Value>
std::string series(std::string_view name, std::string_view unit, std::vector<Bucket>& buckets, Value&& value) {
  std::string values = "[";
  for (Bucket& bucket : buckets) values += (values.size() > 1 ? "," : "") + value(bucket);
  return PageObject().text("name", name).text("unit", unit).raw("values", values + "]").done();
}

std::string plot(std::string_view title, std::string_view unit, const std::string& at,
                 const std::vector<std::string>& lines, const std::string& faults) {
  PageObject out;
  out.text("title", title).text("unit", unit).raw("at", at).raw("series", page_list(lines));
  if (!faults.empty()) out.raw("faults", faults);
  return out.done();
}

// Where the faults are on the plot's axis; the first of them, where there are very many. Empty: there are none.
constexpr std::size_t kMostMarks = 500;
std::string marks_of(const History& h, const Span& span, double unit) {
  if (h.faults().empty()) return {};
  const auto place = [&](std::int64_t time) {
    return number(static_cast<double>(between(span.low, std::clamp(time, span.low, span.high))) / unit);
  };
  return page_list(h.faults().first(std::min(h.faults().size(), kMostMarks)), [&](const FaultMark& fault) {
    PageObject out;
    out.text("name", words::shortened(std::string(h.values().string(fault.name)))).raw("from", place(fault.begin));
    if (fault.end != kNoTime) out.raw("to", place(fault.end));
    return out.done();
  });
}

}  // namespace

bool has_nanoseconds(const History& h, std::string_view format) {
  return format == "recording" || h.about().find(" clients, seed ") != std::string_view::npos;
}

std::string plots_json(const History& h, bool nanoseconds) {
  const Span span = client_span(h);
  if (span.count < kFewest || span.low >= span.high) return "[]";
  const double length = static_cast<double>(between(span.low, span.high));
  std::vector<Bucket> buckets(buckets_for(span.count));
  const double width = length / static_cast<double>(buckets.size());
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    if (!has_interval(h, t)) continue;
    const auto place = static_cast<std::size_t>(static_cast<double>(between(span.low, h.end(t))) / width);
    Bucket& bucket = buckets[std::min(place, buckets.size() - 1)];
    if (h.status(t) == Status::kAborted) ++bucket.aborted;
    if (h.status(t) == Status::kUnknown) ++bucket.unknown;
    if (h.status(t) != Status::kCommitted) continue;
    ++bucket.committed;
    bucket.took.push_back(between(h.begin(t), h.end(t)));
  }
  const double unit = nanoseconds ? 1e9 : 1;
  std::string at = "[";
  for (std::size_t i = 0; i < buckets.size(); ++i)
    at += (i > 0 ? "," : "") + number((static_cast<double>(i) + 0.5) * width / unit);
  at += "]";

  // Of a clock whose unit nobody knows, counts are of the span that one point stands for.
  const double every = nanoseconds ? width / 1e9 : 1;
  const std::string counts_unit =
      nanoseconds ? "per second"
                  : fmt::format("every {} of the clock", width < 1000 ? fmt::format("{:.4g}", width)
                                                                      : grouped(static_cast<std::uint64_t>(width)));
  const auto rate = [&](std::uint64_t Bucket::* count) {
    return [&, count](Bucket& bucket) { return number(static_cast<double>(bucket.*count) / every); };
  };
  const double latency_unit = nanoseconds ? 1e6 : 1;
  const auto latency = [&](double share) {
    return [&, share](Bucket& bucket) {
      return bucket.took.empty() ? std::string("null") : number(part(bucket.took, share) / latency_unit);
    };
  };
  std::vector<std::string> ends = {series("committed", counts_unit, buckets, rate(&Bucket::committed)),
                                   series("aborted", counts_unit, buckets, rate(&Bucket::aborted))};
  if (std::ranges::any_of(buckets, [](const Bucket& bucket) { return bucket.unknown > 0; }))
    ends.push_back(series("unknown", counts_unit, buckets, rate(&Bucket::unknown)));
  const std::string_view took = nanoseconds ? "ms" : "by the client's clock";
  const std::vector<std::string> times = {series("half took at most", took, buckets, latency(0.5)),
                                          series("99 % took at most", took, buckets, latency(0.99))};
  const std::string faults = marks_of(h, span, unit);
  const std::string_view axis = nanoseconds ? "s" : "";
  return fmt::format("[{},{}]",
                     plot(nanoseconds ? "Transactions" : "Transactions, by the client's clock", axis, at, ends, faults),
                     plot("How long a committed transaction took", axis, at, times, faults));
}

}  // namespace isolde
