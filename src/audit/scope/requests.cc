#include "audit/scope/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

#include "base/ascii.h"
#include "base/nearest.h"

namespace isolde::audit {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kLongestRequest = 10 * kSecond;  // the median life of connections that serve one request each
constexpr std::size_t kFewestStatements = 4;            // likewise: the median number of their statements
constexpr std::size_t kFewestGroups = 3;                // fewer show no pattern
constexpr std::int64_t kGapToMedian = 20;

template <typename Number>
Number median(std::vector<Number> all) {
  if (all.empty()) return {};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

// "0.4 s", "3 s": of microseconds.
std::string seconds_text(std::int64_t micros) {
  const double seconds = static_cast<double>(micros) / kSecond;
  return micros % kSecond == 0 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.3g} s", seconds);
}

class RequestFinder {
 public:
  RequestFinder(const TraceLog& log, std::span<const Statement> statements, const RequestOptions& options)
      : log_(log), statements_(statements), options_(options) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_session;
    for (std::uint32_t i = 0; i < log.transactions.size(); ++i) {
      if (log.transactions[i].outcome == TxnOutcome::kCommitted) by_session[log.transactions[i].session].push_back(i);
    }
    for (auto& [session, list] : by_session) {
      std::ranges::sort(list, {}, [&](std::uint32_t i) { return std::pair(log.transactions[i].begun, i); });
      take_session(session, list);
    }
    find_gap();
  }

  Requests run() {
    using Try = std::optional<Requests> (RequestFinder::*)();
    constexpr std::array<std::pair<RequestEvidence, Try>, 5> kTries = {{
        {RequestEvidence::kComment, &RequestFinder::by_comment},
        {RequestEvidence::kConnection, &RequestFinder::by_connection},
        {RequestEvidence::kPool, &RequestFinder::by_pool},
        {RequestEvidence::kGap, &RequestFinder::by_gap},
        {RequestEvidence::kOpener, &RequestFinder::by_opener},
    }};
    for (const auto& [evidence, attempt] : kTries) {
      if (options_.only && *options_.only != evidence) continue;
      if (auto found = (this->*attempt)()) return *std::move(found);
      if (options_.only) return {evidence, Sureness::kNotKnown, "this trace does not show any", {}};
    }
    Requests out{RequestEvidence::kNone,
                 Sureness::kNotKnown,
                 "the trace does not show where requests begin; each connection is taken for one",
                 {}};
    for (const SessionRun& session : sessions_) add(out, session.transactions);
    return out;
  }

 private:
  struct SessionRun {
    std::uint32_t session;
    std::vector<std::uint32_t> transactions;  // committed, with rows, in the order of their beginnings
    std::vector<std::uint8_t> marks;          // by transaction: what came before it, pings included
    bool closed = false;
  };
  static constexpr std::uint8_t kMarkPing = 32;

  [[nodiscard]] const TraceTransaction& transaction(std::uint32_t i) const { return log_.transactions[i]; }

  [[nodiscard]] bool touches_rows(std::uint32_t i) const {
    return std::ranges::any_of(log_.of(transaction(i)), [&](const TraceStatement& statement) {
      return !statements_[raw(statement.shape)].tables.empty();
    });
  }
  // SELECT 1: whether the connection is still there.
  [[nodiscard]] bool is_ping(std::uint32_t i) const {
    const auto all = log_.of(transaction(i));
    if (all.size() != 1) return false;
    const std::string text = lower_case(log_.shapes.example(all[0].shape));
    return statements_[raw(all[0].shape)].tables.empty() && text.find("select") != std::string::npos &&
           text.size() < 40;
  }

  void take_session(std::uint32_t session, const std::vector<std::uint32_t>& list) {
    SessionRun run{session, {}, {}, session < log_.closed_sessions.size() && log_.closed_sessions[session]};
    std::uint8_t marks = 0;
    for (const std::uint32_t i : list) {
      marks |= transaction(i).marks;
      if (!touches_rows(i)) {
        if (is_ping(i)) marks |= kMarkPing;
        continue;
      }
      run.transactions.push_back(i);
      run.marks.push_back(marks);
      marks = 0;
    }
    if (!run.transactions.empty()) sessions_.push_back(std::move(run));
  }

  // The pause that ends a request: none if the trace has no clock.
  void find_gap() {
    std::vector<std::int64_t> gaps;
    bool whole_seconds = true;
    for (const SessionRun& session : sessions_) {
      for (std::size_t i = 0; i < session.transactions.size(); ++i) {
        const std::int64_t begun = transaction(session.transactions[i]).begun_us;
        if (begun == kNoTime) return;
        whole_seconds = whole_seconds && begun % kSecond == 0;
        if (i > 0) gaps.push_back(std::max<std::int64_t>(0, begun - transaction(session.transactions[i - 1]).ended_us));
      }
    }
    if (gaps.empty()) return;
    usual_gap_ = median(gaps);
    // A clock of whole seconds shows a pause of a moment as one second.
    const std::int64_t least = whole_seconds ? 2 * kSecond : kSecond;
    gap_ = options_.gap_us > 0 ? options_.gap_us : std::max(least, kGapToMedian * usual_gap_);
  }
  [[nodiscard]] bool pauses_before(const SessionRun& session, std::size_t i) const {
    return gap_ > 0 && i > 0 &&
           transaction(session.transactions[i]).begun_us - transaction(session.transactions[i - 1]).ended_us >= gap_;
  }

  void add(Requests& out, std::vector<std::uint32_t> transactions) const {
    if (transactions.empty()) return;
    Request request{std::move(transactions), {}};
    for (const std::uint32_t i : request.transactions) {
      if (request.kind.empty() && transaction(i).tag != kNone32) request.kind = log_.tags[transaction(i).tag].kind;
    }
    out.all.push_back(std::move(request));
  }

  // Cuts each session before every transaction for which `cuts` says so.
  template <typename Cuts>
  void cut(Requests& out, Cuts&& cuts) const {
    for (const SessionRun& session : sessions_) {
      std::vector<std::uint32_t> part;
      for (std::size_t i = 0; i < session.transactions.size(); ++i) {
        if (i > 0 && cuts(session, i)) add(out, std::move(part)), part.clear();
        part.push_back(session.transactions[i]);
      }
      add(out, std::move(part));
    }
  }

  [[nodiscard]] std::size_t transactions() const {
    std::size_t count = 0;
    for (const SessionRun& session : sessions_) count += session.transactions.size();
    return count;
  }
  [[nodiscard]] const RequestTag* tag(std::uint32_t i) const {
    return transaction(i).tag == kNone32 ? nullptr : &log_.tags[transaction(i).tag];
  }

  std::optional<Requests> by_comment() {
    std::size_t with_id = 0, with_kind = 0;
    for (const SessionRun& session : sessions_) {
      for (const std::uint32_t i : session.transactions) {
        if (tag(i) == nullptr) continue;
        if (!tag(i)->id.empty()) ++with_id;
        if (!tag(i)->kind.empty()) ++with_kind;
      }
    }
    const std::size_t all = transactions();
    if (all == 0 || std::max(with_id, with_kind) * 2 < all) return std::nullopt;
    return with_id * 2 >= all ? by_id(with_id) : by_kind(with_kind);
  }

  // What has no tag belongs to what came before it on its connection.
  Requests by_id(std::size_t tagged) {
    Requests out{RequestEvidence::kComment,
                 Sureness::kSure,
                 fmt::format("{} of {} transactions carry the id of a request in a comment", tagged, transactions()),
                 {}};
    std::unordered_map<std::string, std::size_t> place;
    std::vector<std::vector<std::uint32_t>> groups;
    for (const SessionRun& session : sessions_) {
      std::optional<std::size_t> current;
      for (const std::uint32_t i : session.transactions) {
        if (tag(i) != nullptr && !tag(i)->id.empty()) {
          const auto [at, is_new] = place.try_emplace(tag(i)->id, groups.size());
          if (is_new) groups.emplace_back();
          current = at->second;
        }
        if (current) groups[*current].push_back(i);
      }
    }
    for (std::vector<std::uint32_t>& group : groups) {
      std::ranges::sort(group, {}, [&](std::uint32_t i) { return std::pair(transaction(i).begun, i); });
      add(out, std::move(group));
    }
    return out;
  }

  Requests by_kind(std::size_t tagged) {
    Requests out{RequestEvidence::kComment,
                 Sureness::kGuess,
                 fmt::format("{} of {} transactions name the kind of their request in a comment, and none names the "
                             "request: a request ends where the kind changes{}",
                             tagged, transactions(), gap_ > 0 ? ", or at a pause of " + seconds_text(gap_) : ""),
                 {}};
    cut(out, [&](const SessionRun& session, std::size_t i) {
      const RequestTag *here = tag(session.transactions[i]), *before = tag(session.transactions[i - 1]);
      return (here != nullptr && before != nullptr && here->kind != before->kind) || pauses_before(session, i);
    });
    return out;
  }

  std::optional<Requests> by_connection() {
    std::size_t closed = 0;
    std::vector<std::size_t> statements;
    std::vector<std::int64_t> lives;
    for (const SessionRun& session : sessions_) {
      closed += session.closed ? 1 : 0;
      std::size_t count = 0;
      for (const std::uint32_t i : session.transactions) count += transaction(i).statements;
      statements.push_back(count);
      const std::int64_t begun = transaction(session.transactions.front()).begun_us;
      if (begun != kNoTime) lives.push_back(transaction(session.transactions.back()).ended_us - begun);
    }
    const bool asked = options_.only == RequestEvidence::kConnection;
    if (sessions_.empty()) return std::nullopt;
    // The last ones may be cut off by the end of the trace.
    if (!asked && (sessions_.size() < kFewestGroups || closed * 5 < sessions_.size() * 4 ||
                   median(statements) < kFewestStatements || median(lives) > kLongestRequest))
      return std::nullopt;
    const std::string life = lives.empty() ? std::string() : " and " + seconds_text(median(lives));
    Requests out{RequestEvidence::kConnection,
                 asked ? Sureness::kNotKnown : Sureness::kLikely,
                 fmt::format("{} of {} connections are closed in the trace, after {} statements{} (medians)", closed,
                             sessions_.size(), median(statements), life),
                 {}};
    for (const SessionRun& session : sessions_) add(out, session.transactions);
    return out;
  }

  std::optional<Requests> by_pool() {
    struct MarkRow {
      std::uint8_t mark;
      std::string_view text;
      bool often;  // also comes for other reasons
    };
    constexpr std::array<MarkRow, 6> kMarks = {{
        {kMarkDiscard, "DISCARD ALL", false},
        {kMarkRollback, "ROLLBACK without a transaction", false},
        {kMarkPing, "SELECT 1", false},
        {kMarkNames, "SET NAMES", true},
        {kMarkAutocommit, "SET autocommit = 1", true},
        {kMarkSet, "SET", true},
    }};
    for (const MarkRow& row : kMarks) {
      std::size_t with = 0, places = 0;
      for (const SessionRun& session : sessions_) {
        std::size_t here = 0;
        for (std::size_t i = 1; i < session.marks.size(); ++i) here += (session.marks[i] & row.mark) != 0 ? 1 : 0;
        with += here > 0 ? 1 : 0;
        places += here;
      }
      if (places < kFewestGroups || with * 2 < sessions_.size()) continue;
      Requests out{RequestEvidence::kPool, row.often ? Sureness::kGuess : Sureness::kLikely, {}, {}};
      cut(out, [&](const SessionRun& session, std::size_t i) { return (session.marks[i] & row.mark) != 0; });
      std::vector<std::size_t> sizes;
      for (const Request& request : out.all) sizes.push_back(request.transactions.size());
      // Before every transaction: the connection is handed out for each, and a request may have several.
      if (median(sizes) < 2 && !options_.only) continue;
      out.why = fmt::format("{} comes {} times on {} of {} connections; {} transactions in between (median)", row.text,
                            places, with, sessions_.size(), median(sizes));
      return out;
    }
    return std::nullopt;
  }

  std::optional<Requests> by_gap() {
    if (gap_ == 0) return std::nullopt;
    Requests out{RequestEvidence::kGap, Sureness::kGuess, {}, {}};
    cut(out, [&](const SessionRun& session, std::size_t i) { return pauses_before(session, i); });
    const bool cuts = out.all.size() > sessions_.size() && out.all.size() >= kFewestGroups;
    if (!cuts && !options_.only) return std::nullopt;
    std::map<ShapeId, std::size_t> first;
    for (const Request& request : out.all) ++first[log_.of(transaction(request.transactions[0])).front().shape];
    std::size_t most = 0;
    for (const auto& [shape, count] : first) most = std::max(most, count);
    out.why = fmt::format(
        "a pause of {} or more on a connection ends a request (the usual one is {}){}", seconds_text(gap_),
        seconds_text(usual_gap_),
        most * 2 < out.all.size() ? "" : fmt::format("; {} of {} begin with the same statement", most, out.all.size()));
    return out;
  }

  std::optional<Requests> by_opener() {
    std::map<ShapeId, std::size_t> first;
    const auto opens = [&](std::uint32_t i) { return log_.of(transaction(i)).front().shape; };
    for (const SessionRun& session : sessions_) ++first[opens(session.transactions[0])];
    const auto most = std::ranges::max_element(first, {}, [](const auto& entry) { return entry.second; });
    if (most == first.end() || most->second < kFewestGroups || most->second * 3 < sessions_.size() * 2)
      return std::nullopt;
    Requests out{RequestEvidence::kOpener, Sureness::kGuess, {}, {}};
    cut(out, [&](const SessionRun& session, std::size_t i) { return opens(session.transactions[i]) == most->first; });
    if (out.all.size() < 2 * sessions_.size()) return std::nullopt;
    out.why = fmt::format("{} of {} connections begin with the same statement, which comes {} times", most->second,
                          sessions_.size(), out.all.size());
    return out;
  }

  const TraceLog& log_;
  std::span<const Statement> statements_;
  const RequestOptions& options_;
  std::vector<SessionRun> sessions_;
  std::int64_t gap_ = 0, usual_gap_ = 0;
};

constexpr std::array<std::string_view, 6> kEvidenceNames = {"comment", "connection", "pool", "gap", "opener", "none"};

}  // namespace

std::string_view name(RequestEvidence evidence) { return kEvidenceNames[static_cast<std::size_t>(evidence)]; }

std::string_view name(Sureness sure) {
  constexpr std::string_view kNames[] = {"sure", "likely", "a guess", "not known"};
  return kNames[static_cast<std::size_t>(sure)];
}

Result<RequestOptions> request_options(std::string_view text) {
  RequestOptions out;
  if (text == "auto") return out;
  for (std::size_t i = 0; i < kEvidenceNames.size(); ++i) {
    if (text != kEvidenceNames[i]) continue;
    out.only = static_cast<RequestEvidence>(i);
    return out;
  }
  if (text.starts_with("gap=")) {
    std::string_view number = text.substr(4);
    const bool millis = number.ends_with("ms");
    if (millis || number.ends_with('s')) number.remove_suffix(millis ? 2 : 1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    constexpr double kMost = 86'400;
    if (error == std::errc() && end == number.data() + number.size() && value > 0 && value < kMost * 1000) {
      out.only = RequestEvidence::kGap;
      out.gap_us = std::max<std::int64_t>(1, static_cast<std::int64_t>(value * (millis ? 1000 : kSecond)));
      return out;
    }
  }
  return Error{
      fmt::format("--requests takes auto, comment, connection, pool, gap, gap=2s, opener or none, not \"{}\"{}", text,
                  did_you_mean(text, kEvidenceNames))};
}

Requests find_requests(const TraceLog& log, std::span<const Statement> statements, const RequestOptions& options) {
  return RequestFinder(log, statements, options).run();
}

}  // namespace isolde::audit
