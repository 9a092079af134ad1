// check/timeline/online/engine.h: the class behind make_online; its parts are in take.cc (arrival), stage.cc
// (gathering), judge.cc (verdicts), late.cc (what comes when others have been judged), name_read.cc (where a wrong
// value came from), settle.cc (transactions without a sure place), give_up.cc (keys given up for memory) and
// checkpoint.cc.
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
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "check/accesses.h"
#include "check/online.h"
#include "check/timeline/online/clock_order.h"
#include "check/timeline/online/key_filter.h"
#include "check/timeline/online/key_index.h"
#include "check/timeline/online/online.h"
#include "check/timeline/online/spill.h"
#include "check/timeline/online/window.h"
#include "history/recent_names.h"

namespace isolde::timeline {

// One number for a key and a value.
[[nodiscard]] inline std::uint64_t pair_of(Print key, Print value) {
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

  // What the transaction being taken has made of a key so far.
  struct Local {
    std::uint32_t key;
    std::uint32_t own = kNone32;  // index of its appends and increments since it last read or overwrote
    State value = {};             // what it last read or wrote
    bool from_snapshot = false;   // its appends stand on the snapshot
    bool written = false;         // by a plain write, of `last`
    State last = {};
    std::uint32_t written_op = kNone32;
    std::uint32_t extras = 0;  // appends and increments behind that, in extras_
  };
  struct Extra {  // an append or increment to be installed
    std::uint32_t local;
    EntryKind kind;
    std::uint64_t value;
    std::uint32_t op;
  };
  // A write that never was a version.
  struct Shadow {
    std::uint32_t txn;
    std::uint32_t op;
    bool intermediate;  // else of a transaction that did not commit
  };

  // Reads of states that are not held any more: judged from what was spilled.
  struct LateRead {
    std::uint32_t txn, key;
    Print value;
    bool on_own;
    OwnTop top;
  };

  // A read that was judged, and then one came that it should have seen: judged again when that one is.
  struct Broken {
    std::uint32_t by, key;
    std::uint32_t reader_txn;  // its number, as its entry has it; kNone32: it is spilled
    std::int64_t time;         // where it read
    std::uint64_t reader;      // print of its id
    Print value;
    std::uint8_t order;
    AnomalyKind kind;        // as what it is told
    std::uint8_t unused[6];  // no bytes of chance in a checkpoint
  };
  // A read that was wrong when its transaction had to go for memory: judged when its deadline is over, from the index
  // and from what was spilled.
  struct Postponed {
    Broken read;
    Print key;  // which may not be held then
    std::int64_t due;
    bool on_own;
    OwnTop top;  // on_own: what its transaction had appended or added itself
    [[nodiscard]] std::size_t bytes() const { return sizeof(Postponed) + top.appended.capacity() * sizeof(Print); }
  };

  // take.cc
  void place(TxnRecord& r, const History& h);
  void next_stamp();
  void replay(std::uint32_t txn, bool reads, bool writes);
  void read(std::uint32_t txn, KeyId key, ValueId value);
  void overwrite(std::uint32_t txn, KeyId key, ValueId value, std::uint32_t op);
  void accumulate(KeyId key, OpKind kind, ValueId value, std::uint32_t op);
  void install(std::uint32_t txn);
  void note_uncommitted(std::uint32_t txn);
  void note_shadow(Print key, Print value, Shadow shadow);
  [[nodiscard]] std::uint32_t number_of(Window::Held& held, KeyId key);
  // stage.cc
  void stage(std::uint32_t txn, bool reads, bool writes);
  void apply_staged();
  [[nodiscard]] std::int64_t horizon() const;
  struct Staged {
    std::int64_t time;
    std::uint32_t txn;
  };
  void find_keys(std::uint32_t txn, std::vector<const KeyTimeline*>& keys);
  // insert.cc
  void insert_read(std::uint32_t txn, KeyTimeline& key, Print value, OwnTop* top);
  void insert_write(std::uint32_t txn, KeyTimeline& key, Entry entry);
  void propagate(const KeyTimeline& key, Place from, State state, std::uint32_t by);
  void set_wrong(const KeyTimeline& key, Entry& read, bool wrong, std::uint32_t by);
  [[nodiscard]] bool is_right(const Entry& read, State state) const;
  void check_conflict(KeyTimeline& key, Place later);
  void write_into_the_past(KeyTimeline& key, Entry entry);
  void grow_again(KeyTimeline& key, const Entry& late);
  [[nodiscard]] static SpilledVersion spilled(const KeyTimeline& key, const Entry& version);
  // late.cc
  void check_released_conflict(const KeyTimeline& key, const Entry& late, std::uint64_t later, std::int64_t commit,
                               std::uint8_t order);
  [[nodiscard]] static bool is_tied(const KeyTimeline& key, Place at);
  void look_for_released_reads(const KeyTimeline& key, const Entry& late, std::int64_t until, std::uint8_t until_order);
  void compare_with_spilled(const KeyTimeline& key, const Entry& late);
  void look_for_spilled_reads(const KeyTimeline& key, const Entry& late, std::int64_t until, std::uint8_t until_order);
  static constexpr std::size_t kMostCompared = 4096;  // reads, or versions, with one late write
  void could_not_compare();
  // `own`: what its transaction had appended or added itself, if it is not held any more; else null.
  void judge_broken(const Broken& broken, bool postponed, const OwnTop* own, bool early);
  [[nodiscard]] bool postpone(const Broken& read, Print key, std::int64_t arrived, const OwnTop* own);
  void judge_postponed(std::int64_t until);
  void spill_released(std::uint32_t txn);
  // orders.cc
  void check_orders(std::uint32_t txn);
  void check_number(std::uint32_t txn);
  [[nodiscard]] Latest& session_of(TxnId txn);
  void check_clock(std::uint32_t txn);
  void check_clock_at_once(std::uint32_t txn);
  void look_for_ties(std::uint32_t txn);
  [[nodiscard]] bool touch_each_other(const TxnRecord& a, const TxnRecord& b) const;

  // judge.cc
  void judge(std::uint32_t txn, bool early);
  void defer(TxnRecord& r) const;
  [[nodiscard]] bool is_cloudy(const KeyTimeline& key, Print read, bool rich) const;
  void judge_late(const LateRead& late, bool early);
  void report_read(std::uint32_t txn, const KeyTimeline& key, Place at, std::string_view suspect);
  void collect();
  void tidy();
  void release_one();
  struct Wrong {  // a read that does not show its state
    std::uint32_t txn;
    const KeyTimeline* key;
    Print read;
    const OwnTop* own;  // or null
    State state;        // of the snapshot
    bool has_writer;    // of that state
    std::uint64_t writer;
    std::uint32_t writer_txn;  // its number, if it is held
  };
  [[nodiscard]] Wrong wrong_of(std::uint32_t txn, const KeyTimeline& key, Place at) const;
  void report_external(const Wrong& wrong, std::string_view suspect);
  void report_internal(const TxnRecord& r, KeyId key, ValueId read, std::string expected);
  void report_conflict(const TxnRecord& r, const KeyTimeline& key, std::uint64_t other, std::int64_t other_commit);
  void report_order(std::uint64_t id, AnomalyKind kind, std::uint64_t before);
  void report_gap(const TxnRecord& r, std::uint64_t before, std::int64_t before_sno, std::int64_t sno);
  void tell(OnlineViolation violation, std::uint64_t guilty, Print key, std::string_view suspect);
  [[nodiscard]] bool was_told(std::uint64_t identity);
  [[nodiscard]] std::string text_in(const TxnRecord& r, Print print) const;
  [[nodiscard]] std::string id_text(std::uint64_t print) const;
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
  [[nodiscard]] Origin origin_of_value(const Wrong& wrong, std::uint32_t op, Print value) const;
  [[nodiscard]] Origin origin_of_rich(const Wrong& wrong, std::uint32_t op, ValueId read) const;
  // The elements that the read should have shown; `whole` is false if the first ones are not held any more.
  [[nodiscard]] std::vector<Print> expected_elements(const Wrong& wrong, bool& whole) const;
  [[nodiscard]] bool writes_key(const TxnRecord& r, Print key) const;
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
  [[nodiscard]] bool is_excused(const TxnRecord& r, Print key) const;
  void adopt(const WindowHistory& made, const History& history, const Verdict& verdict, bool all);

  // online.cc
  [[nodiscard]] State initial_of(Print key) const;
  [[nodiscard]] std::optional<ValueId> initial_value(Print key) const;  // in head_, if there is one
  [[nodiscard]] std::vector<Print> initial_elements(Print key) const;
  [[nodiscard]] std::size_t bytes() const;
  void make_room();
  // give_up.cc
  [[nodiscard]] std::uint32_t key_number(Print print);
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
  static constexpr std::size_t kAhead = 8;
  std::vector<const KeyTimeline*> ahead_[kAhead];  // keys of those that come next
  std::uint32_t applied_ = 0;                      // those before are in the index
  std::int64_t staged_since_ = 0;                  // StreamTime::now when the first of the others was taken
  RecentNames names_;
  OnlineCounts counts_;

  // of the transaction being taken
  std::vector<Local> locals_;
  std::vector<Extra> extras_;
  std::vector<OwnTop> owns_;
  std::size_t owns_used_ = 0;
  Window::Held* held_ = nullptr;  // its chunk
  std::uint32_t stamp_ = 0;       // what KeyTimeline::stamp is set to
  bool was_late_ = false;

  std::deque<LateRead> late_reads_;
  std::deque<Broken> broken_;
  std::deque<Postponed> postponed_;
  std::size_t postponed_bytes_ = 0;
  bool adopting_ = false;                  // what is put into the index was seen by others: it is not late
  bool could_compare_ = true;              // the transaction being taken with all that it has to do with
  std::int64_t released_until_ = kNoTime;  // no read of a released transaction is later
  std::int64_t released_open_ = kNoTime;   // … and none of those whose place was never sure

  std::unordered_multimap<std::uint64_t, Shadow> shadows_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> shadow_order_;  // (transaction, where in shadows_)

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
  [[nodiscard]] std::uint32_t session_number(Print session) {
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
  // Predicates are asked at the end, as long as all that happened is held.
  bool asks_predicates_ = false;
  std::uint64_t predicate_txns_ = 0;
  bool released_any_ = false;
  static constexpr std::size_t kMostForPredicates = std::size_t{64} << 20;
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
