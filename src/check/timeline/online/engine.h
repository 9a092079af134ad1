// check/timeline/online/engine.h: the class behind make_online; its parts are in take.cc (arrival), stage.cc
// (gathering, and several threads), put.cc and insert.cc (into the index), judge.cc (verdicts), late.cc (what comes
// when others have been judged), name_read.cc (where a wrong value came from), settle.cc (transactions without a sure
// place), give_up.cc (keys given up for memory) and checkpoint.cc.
//
// Always: a transaction passes three moments: taken; judged, when its deadline is over; released, when the deadline is
//         over once more, so that those that come within theirs still find what they read.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/team.h"
#include "check/accesses.h"
#include "check/online.h"
#include "check/predicates/header_keys.h"
#include "check/predicates/row_values.h"
#include "check/timeline/online/clock_order.h"
#include "check/timeline/online/key_filter.h"
#include "check/timeline/online/key_index.h"
#include "check/timeline/online/lane.h"
#include "check/timeline/online/online.h"
#include "check/timeline/online/shadows.h"
#include "check/timeline/online/spill.h"
#include "check/timeline/online/window.h"
#include "history/recent_names.h"

namespace isolde::timeline {

// One number for a key and a value.
[[nodiscard]] inline std::uint64_t pair_of(Fingerprint key, Fingerprint value) {
  return mix64(raw64(key) * 0x9e3779b97f4a7c15ULL + raw64(value));
}

inline constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

class WindowHistory;

class Online final : public OnlineEngine, private FoldSink {
 public:
  Online(const OnlineOptions& options, OnlineSink& sink);

  void begin(const Chunk& head) override;
  void take(const Arrival& arrival) override;
  void advance(const StreamTime& time) override;
  void finish() override;
  [[nodiscard]] OnlineCounts counts() const override;
  void save(StateWriter& out) const override;
  [[nodiscard]] bool load(StateReader& in) override;

 private:
  struct Latest;  // of a session

  // Reads of states that are not held any more: judged from what was spilled.
  struct LateRead {
    std::uint32_t txn, key;
    Fingerprint value;
    bool on_own;
    OwnTop top;
  };

  // A read that was wrong when its transaction had to go for memory: judged when its deadline is over, from the index
  // and from what was spilled.
  struct Postponed {
    Broken read;
    Fingerprint key;  // which may not be held then
    std::int64_t due;
    bool on_own;
    OwnTop top;  // on_own: what its transaction had appended or added itself
    [[nodiscard]] std::size_t bytes() const {
      return sizeof(Postponed) + top.appended.capacity() * sizeof(Fingerprint);
    }
  };

  // take.cc
  void place(TxnRecord& r, const History& h);
  void note_uncommitted(std::uint32_t txn);
  void note_shadow(Fingerprint key, Fingerprint value, Shadow shadow);
  [[nodiscard]] std::uint32_t number_of(Window::Held& held, KeyId key);
  // stage.cc
  void stage(std::uint32_t txn, bool reads, bool writes);
  void apply_staged();
  [[nodiscard]] std::int64_t horizon() const;
  struct Staged {
    std::int64_t time;
    std::uint32_t txn;
    std::uint16_t what;  // kReadsStaged, kWritesStaged
  };
  void make_lanes();
  void deal_keys();
  void have_all_keys(Lane& lane);
  void put_staged(Lane& lane);
  void put_adopted(std::uint32_t txn);
  void take_over(std::span<Lane> lanes);
  void reserve_stamps(std::size_t count);
  // put.cc
  void put(Lane& lane, std::uint32_t place, const std::vector<Lane::Touch>& touches, bool reads, bool writes);
  void put_read(Lane& lane, const Lane::Touch& touch);
  void install(Lane& lane, std::uint32_t place);
  void find_known_keys(Window::Held& held) const;
  void hint_keys(std::uint32_t txn, bool near) const;
  void find_keys(const Lane& lane, std::uint32_t txn, std::vector<Lane::Touch>& touches);
  // insert.cc
  void insert_read(Lane& lane, KeyTimeline& key, Fingerprint value, OwnTop* top);
  void insert_write(Lane& lane, KeyTimeline& key, Entry entry);
  void propagate(Lane& lane, const KeyTimeline& key, Place from, State state);
  void set_wrong(Lane& lane, const KeyTimeline& key, Entry& read, bool wrong);
  [[nodiscard]] bool is_right(const Entry& read, State state) const;
  void check_conflict(Lane& lane, const KeyTimeline& key, Place later);
  void write_into_the_past(Lane& lane, KeyTimeline& key, Entry entry);
  void grow_again(Lane& lane, KeyTimeline& key, const Entry& late);
  [[nodiscard]] static SpilledVersion spilled(const KeyTimeline& key, const Entry& version);
  // late.cc
  void check_released_conflict(Lane& lane, const KeyTimeline& key, const Entry& late, std::uint64_t later,
                               std::int64_t commit, std::uint8_t order);
  [[nodiscard]] static bool is_tied(const KeyTimeline& key, Place at);
  void look_for_released_reads(Lane& lane, const KeyTimeline& key, const Entry& late, std::int64_t until,
                               std::uint8_t until_order);
  void compare_with_spilled(Lane& lane, const KeyTimeline& key, const Entry& late);
  void look_for_spilled_reads(Lane& lane, const KeyTimeline& key, const Entry& late, std::int64_t until,
                              std::uint8_t until_order);
  static constexpr std::size_t kMostCompared = 4096;  // reads, or versions, with one late write
  // The late write should have been seen by this read, which is on disk.
  void breaks_spilled_read(Lane& lane, const KeyTimeline& key, const Entry& late, const SpilledVersion& read);
  static void could_not_compare(Lane& lane);
  // `own`: what its transaction had appended or added itself, if it is not held any more; else null.
  void judge_broken(const Broken& broken, bool postponed, const OwnTop* own, bool early);
  [[nodiscard]] bool postpone(const Broken& read, Fingerprint key, std::int64_t arrived, const OwnTop* own);
  void judge_postponed(std::int64_t until);
  void spill_released(std::uint32_t txn);
  // orders.cc
  void check_orders(std::uint32_t txn);
  void check_number(std::uint32_t txn);
  [[nodiscard]] Latest& session_of(TxnId txn);
  void check_clock(std::uint32_t txn);
  void check_clock_at_once(std::uint32_t txn);
  void look_for_ties(std::uint32_t txn);
  void say_tied(const TxnRecord& r);
  [[nodiscard]] bool touch_each_other(const TxnRecord& a, const TxnRecord& b) const;

  // judge.cc
  void judge(std::uint32_t txn, bool early);
  void defer(TxnRecord& r) const;
  [[nodiscard]] bool is_cloudy(const KeyTimeline& key, Fingerprint read, bool rich) const;
  void judge_late(const LateRead& late, bool early);
  void report_read(std::uint32_t txn, const KeyTimeline& key, Place at, std::string_view suspect);
  void collect();
  void tidy();
  void release_one();
  struct Wrong {  // a read that does not show its state
    std::uint32_t txn;
    const KeyTimeline* key;
    Fingerprint read;
    const OwnTop* own;  // or null
    State state;        // of the snapshot
    bool has_writer;    // of that state
    std::uint64_t writer;
    std::uint32_t writer_txn;  // its number, if it is held
  };
  [[nodiscard]] Wrong wrong_of(std::uint32_t txn, const KeyTimeline& key, Place at) const;
  void report_external(const Wrong& wrong, std::string_view suspect);
  void report_internal(const TxnRecord& r, Fingerprint key, ValueId read, std::string expected);
  void report_conflict(const TxnRecord& r, const KeyTimeline& key, std::uint64_t other, std::int64_t other_commit);
  void report_order(std::uint64_t id, AnomalyKind kind, std::uint64_t before);
  void report_gap(const TxnRecord& r, std::uint64_t before, std::int64_t before_sno, std::int64_t sno);
  void tell(OnlineViolation violation, std::uint64_t guilty, Fingerprint key, std::string_view suspect);
  [[nodiscard]] bool was_told(std::uint64_t identity);
  [[nodiscard]] std::string text_in(const TxnRecord& r, Fingerprint fingerprint) const;
  [[nodiscard]] std::string id_text(std::uint64_t fingerprint) const;
  [[nodiscard]] std::string id_of(const TxnRecord& r) const;
  [[nodiscard]] std::string state_text(State state) const;

  // name_read.cc
  struct Origin {
    ReadSource source = ReadSource::kNeverWritten;
    std::uint64_t writer = 0;  // meaningful for those that have one
  };
  struct Name {
    AnomalyKind kind;
    Origin origin;
    bool names_expected;  // the writer of the expected version is part of it
  };
  [[nodiscard]] Name name_of(const Wrong& wrong) const;
  [[nodiscard]] Origin origin_of_value(const Wrong& wrong, std::uint32_t op, Fingerprint value) const;
  [[nodiscard]] Origin origin_of_rich(const Wrong& wrong, std::uint32_t op, ValueId read) const;
  // The elements that the read should have shown; `whole` is false if the first ones are not held any more.
  [[nodiscard]] std::vector<Fingerprint> expected_elements(const Wrong& wrong, bool& whole) const;
  [[nodiscard]] bool writes_key(const TxnRecord& r, Fingerprint key) const;
  [[nodiscard]] bool skewed(const TxnRecord& writer, const TxnRecord& reader) const;

  // settle.cc
  void open_place(std::uint32_t txn);
  void mark_keys(std::uint32_t txn);
  void close_keys();
  void cloud(std::uint32_t txn);
  void forget_open(std::uint32_t txn);
  [[nodiscard]] State before_window(KeyTimeline& key);
  void settle(bool all);
  [[nodiscard]] std::vector<std::uint32_t> in_file_order() const;
  void report_settled(const WindowHistory& made, const History& history, const Anomaly& a, bool all);
  [[nodiscard]] bool reads_dropped(const TxnRecord& r) const;
  [[nodiscard]] bool is_excused(const TxnRecord& r, Fingerprint key) const;
  void adopt(const WindowHistory& made, const History& history, const Verdict& verdict, bool all);

  // predicates.cc
  [[nodiscard]] bool can_ask() const { return window_.bytes() <= options_.memory_limit / 4; }
  [[nodiscard]] bool must_ask() const {
    return window_.bytes() >= options_.memory_limit / 8 && !arrived_before(window_.next(), next_asked_);
  }
  void ask_predicates(bool all);
  [[nodiscard]] bool add_known_keys(WindowHistory& made, std::int64_t& latest);
  void note_released(const TxnRecord& r);
  void sweep_rows();
  // online.cc
  [[nodiscard]] State initial_of(Fingerprint key) const;
  [[nodiscard]] std::optional<ValueId> initial_value(Fingerprint key) const;  // in head_, if there is one
  [[nodiscard]] std::vector<Fingerprint> initial_elements(Fingerprint key) const;
  [[nodiscard]] std::size_t bytes() const;
  void make_room();
  // give_up.cc
  [[nodiscard]] std::uint32_t key_number(Fingerprint fingerprint);
  void set_initial(KeyTimeline& key) const;
  void recall(KeyTimeline& key);
  void give_up_keys(std::size_t wanted);
  void give_up(const KeyTimeline& key);

  // FoldSink
  void folded(const KeyTimeline& key, const Entry& version) override;

  const OnlineOptions options_;
  OnlineSink& sink_;
  const LevelInfo& level_;
  const bool serial_;
  const std::int64_t patience_;  // how long arrivals may wait for others
  static constexpr std::int64_t kMostPatience = 500'000'000;

  std::unique_ptr<const Chunk> head_chunk_;  // for the values that keys hold at first
  const History* head_ = nullptr;
  std::unordered_map<std::uint64_t, ValueId> initial_;  // where it is not the default
  StreamTime time_;
  KeyIndex keys_;
  Window window_;
  TimeChains chains_;
  std::uint32_t judged_ = 0;  // the next to be judged
  std::vector<Staged> staged_;
  std::vector<Lane> lanes_;        // at least one
  std::unique_ptr<Team> team_;     // where there are several
  bool dealt_ = false;             // the lanes' keys are those of deal_keys()
  std::uint32_t stamp_ = 0;        // the last that KeyTimeline::stamp was set to
  std::uint32_t applied_ = 0;      // those before are in the index
  std::int64_t staged_since_ = 0;  // StreamTime::now when the first of the others was taken
  RecentNames names_;
  OnlineCounts counts_;

  Window::Held* held_ = nullptr;  // the chunk of the transaction being taken

  std::deque<LateRead> late_reads_;
  std::deque<Broken> broken_;
  std::deque<Postponed> postponed_;
  std::size_t postponed_bytes_ = 0;
  bool adopting_ = false;                  // what is put into the index was seen by others: it is not late
  std::int64_t released_until_ = kNoTime;  // no read of a released transaction is later
  std::int64_t released_open_ = kNoTime;   // … and none of those whose place was never sure

  Shadows shadows_;

  struct Latest {
    std::int64_t time = kNoTime;
    std::uint64_t writer = 0;
    std::uint8_t order = 0;
    // The transaction that arrived last, whatever became of it, and its number in the session.
    std::uint64_t last = 0;
    std::int64_t sno = kNoTime;
  };
  std::vector<Latest> sessions_;
  bool numbered_ = false;  // some transaction had a number in its session
  std::unordered_map<std::uint64_t, std::uint32_t> session_numbers_;
  [[nodiscard]] std::uint32_t session_number(Fingerprint session) {
    const auto [at, fresh] = session_numbers_.emplace(raw64(session), static_cast<std::uint32_t>(sessions_.size()));
    if (fresh) sessions_.emplace_back();
    return at->second;
  }
  ClockOrder clock_;

  std::unordered_set<std::uint64_t> told_;
  std::deque<std::uint64_t> told_order_;

  // transactions without a sure place
  std::size_t open_count_ = 0;         // of the window's records with kCountedOpen
  std::int64_t open_since_ = kNoTime;  // StreamTime::now of the first of them
  std::vector<std::uint32_t> open_keys_;
  std::uint32_t settled_ = 0;                // those before were settled once
  std::unordered_set<std::uint64_t> cloud_;  // what transactions wrote that were never placed: pair_of
  bool any_cloudy_rich_ = false;
  const std::size_t most_cloud_;
  // predicates.cc
  bool asks_predicates_ = false;  // there are some
  bool released_any_ = false;
  bool lost_values_ = false;      // something was released before the first predicate came
  std::uint64_t unasked_ = 0;     // transactions whose predicates could not be judged
  std::uint32_t next_asked_ = 0;  // not again before so many have arrived
  RowValues rows_;                // what keys hold by transactions that were released
  HeaderKeys header_keys_;
  static constexpr std::uint64_t kTidy = 64;  // transactions between two looks at memory

  // Versions; reads of released transactions; starts of released transactions, by their ids, as the state.
  std::unique_ptr<Spill> spill_, read_spill_, start_spill_;
  KeyFilter given_up_;                     // keys that had versions; with spill_, these are there
  KeyFilter given_up_cloudy_;              // keys that one wrote who was never placed
  std::int64_t given_up_until_ = kNoTime;  // no version of these is newer
  std::uint64_t next_room_ = 0;            // of counts_.operations: when memory is looked at again
  std::uint32_t sweep_ = 0;                // the next key whose front is looked at
};

}  // namespace isolde::timeline
