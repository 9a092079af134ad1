// stream/watch_testing.h: an input, an engine and a view for tests of the watcher.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "format/native_chunks.h"
#include "stream/watcher.h"

namespace isolde::stream::testing {

// `count` transactions of one session from number `first` on, a line each.
inline std::string lines_from(int first, int count) {
  std::string out;
  for (int i = first; i < first + count; ++i)
    out += fmt::format("{{\"id\": {}, \"session\": {}, \"ops\": [[\"w\", \"x\", {}]]}}\n", i, i % 3, i);
  return out;
}

// Gives texts one by one; the position is how many were given.
class TextInput : public Input {
 public:
  TextInput(std::vector<std::string> texts, const std::string& resume) : texts_(std::move(texts)) {
    at_ = resume.empty() ? 0 : std::stoul(resume);
  }
  bool endless = false;  // waits at the end until it is stopped
  // Of each text, if there are any: by when it had arrived, and up to when all that had arrived was given with it.
  // A text that is empty only tells the time.
  struct Times {
    double came, drained;  // seconds
  };
  std::vector<Times> times = {};
  std::string fails;                // at the end, with this
  std::vector<std::string> covers;  // what covered() was told

  Result<Next> next(std::chrono::milliseconds) override {
    if (at_ < texts_.size()) {
      ++given;
      Next next;
      if (at_ < times.size()) {
        constexpr double kSecond = 1e9;
        next.came = std::chrono::nanoseconds(static_cast<std::int64_t>(times[at_].came * kSecond));
        next.drained = std::chrono::nanoseconds(static_cast<std::int64_t>(times[at_].drained * kSecond));
      }
      const std::string& text = texts_[at_++];
      if (text.empty()) return next;
      auto chunk = ChunkReader("test").read(text);
      if (!chunk) return std::move(chunk).error();
      next.piece = Piece{*std::move(chunk), std::to_string(at_)};
      return next;
    }
    if (!fails.empty()) return Error{fails};
    Next next;
    next.over = !endless || stopped_;
    if (!next.over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return next;
  }
  void covered(const std::string& position) override { covers.push_back(position); }
  void stop() override { stopped_ = true; }
  [[nodiscard]] InputCounts counts() const override { return {.pieces = at_}; }

  std::atomic<int> given = 0;

 private:
  std::vector<std::string> texts_;
  std::size_t at_ = 0;
  std::atomic<bool> stopped_ = false;
};

// Every fifth transaction is a violation, told three transactions later or at the end.
class FifthEngine : public OnlineEngine {
 public:
  explicit FifthEngine(OnlineSink& sink) : sink_(sink) {}
  void begin(const Chunk&) override { ++heads; }
  void take(const Arrival& arrival) override {
    ++counts_.taken;
    const auto id = static_cast<std::uint64_t>(integer_of(arrival.chunk->id(arrival.txn)));
    if (id % 5 == 0) waiting_.push_back(id);
    last_ = id;
    tell(false);
  }
  void advance(const StreamTime& time) override { now = time.now; }
  void finish() override { tell(true); }
  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts c = counts_;
    c.pending = waiting_.size();
    c.checked = c.taken - c.pending;
    return c;
  }
  void save(StateWriter& out) const override {
    out.put(counts_);
    out.put(last_);
    out.put_all(waiting_);
  }
  [[nodiscard]] bool load(StateReader& in) override {
    counts_ = in.get<OnlineCounts>();
    last_ = in.get<std::uint64_t>();
    waiting_ = in.get_all<std::uint64_t>();
    return in.good();
  }

  int heads = 0;
  std::int64_t now = 0;

 private:
  void tell(bool all) {
    std::vector<std::uint64_t> left;
    for (const std::uint64_t id : waiting_) {
      if (!all && last_ < id + 3) {
        left.push_back(id);
        continue;
      }
      OnlineViolation v;
      v.kind = AnomalyKind::kGSIb;
      v.rule = "EXT";
      v.transactions = {std::to_string(id)};
      v.key = "\"x\"";
      v.text = fmt::format("T{} is a fifth", id);
      v.identity = identity_of(v);
      ++counts_.violations;
      sink_.violated(v);
    }
    waiting_ = left;
  }

  OnlineSink& sink_;
  OnlineCounts counts_;
  std::uint64_t last_ = 0;
  std::vector<std::uint64_t> waiting_;
};

struct Killed {};  // thrown by a view to end a watcher as a kill does: nothing more is written

class ListView : public WatchView {
 public:
  std::vector<std::string> violations, notices;
  std::atomic<bool>* interrupt = nullptr;
  std::size_t interrupt_after = SIZE_MAX;  // violations
  std::size_t kill_after = SIZE_MAX;
  std::string says;  // of the checker
  WatchCounts last;

  void started(const Checker& checker) override { says = checker.settings.front().second; }
  void violated(const OnlineViolation& violation) override {
    violations.push_back(violation.transactions.front());
    if (violations.size() >= interrupt_after) *interrupt = true;
    if (violations.size() >= kill_after) throw Killed{};
  }
  void suspected(const OnlineViolation&, std::string_view) override {}
  void late(const Arrival&) override {}
  void notice(std::string_view text) override { notices.emplace_back(text); }
  void progress(const WatchCounts& counts) override { last = counts; }
};

inline MakeChecker fifths(const std::string& level = "si", FifthEngine** made = nullptr) {
  return [=](const Chunk*, OnlineSink& sink) -> Result<Checker> {
    auto engine = std::make_unique<FifthEngine>(sink);
    if (made != nullptr) *made = engine.get();
    return Checker{.feed = feed_as_it_comes(), .engine = std::move(engine), .settings = {{"level", level}}};
  };
}

}  // namespace isolde::stream::testing
