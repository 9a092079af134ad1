#include "format/timekiller_write.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_set>

#include "format/register_output.h"
#include "format/timekiller.h"
#include "history/session_gaps.h"

namespace isolde {
namespace {

// By how many bits the text about the history says that timestamps are packed, if that is what it says.
std::optional<int> packing_of(const History& h) {
  std::string_view about = h.about();
  if (!about.starts_with(kAboutHybrid) || !about.ends_with(kAboutHybridEnd)) return std::nullopt;
  about.remove_prefix(kAboutHybrid.size());
  int shift = 0;
  const auto [end, failed] = std::from_chars(about.data(), about.data() + about.size(), shift);
  const bool whole = failed == std::errc{} && std::string_view(end, about.data() + about.size()) == kAboutHybridEnd;
  return whole && shift >= 0 && shift < 63 ? std::optional(shift) : std::nullopt;
}

// Lists that are not empty at first.
std::uint64_t lists_with_initial(const History& h) {
  std::unordered_set<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    if (h.op(i).kind() == OpKind::kAppend && h.initial(h.op(i).key()) != kNullValue) keys.insert(raw(h.op(i).key()));
  }
  return keys.size();
}

std::uint64_t negative_timestamps(const History& h) {
  std::uint64_t n = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const auto is_negative = [](std::int64_t time) { return time != kNoTime && time < 0; };
    n += is_negative(h.start_ts(TxnId{t})) || is_negative(h.commit_ts(TxnId{t})) ? 1 : 0;
  }
  return n;
}

// Numbers in sessions are written if every transaction that has one is: else what is left out would leave a gap.
bool keeps_numbers(const History& h, const std::vector<bool>& counts) {
  if (h.columns().sno.empty()) return false;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (!counts[t] && h.sno(TxnId{t}) != kNoTime) return false;
  }
  return true;
}

// A reader puts the transactions of a session in the order of their numbers.
std::uint64_t unfit_gaps(const History& h) {
  const std::vector<SessionGap> gaps = session_gaps(h);
  if (gaps.empty() || !keeps_numbers(h, effective(h))) return gaps.size();
  std::uint64_t n = 0;
  for (const SessionGap& gap : gaps) n += h.sno(gap.before) >= h.sno(gap.after) ? 1 : 0;
  return n;
}

// Who was seen is certain only if nobody else wrote the same, and if no list that was written whole may have been
// appended to; and a timestamp says when a commit was only if there was one.
std::uint64_t unknown_unfit(const History& h) {
  if (!repeats_of(h).empty() || count(h, HistoryContent::kTimestamps) > 0) {
    if (const std::uint64_t seen = unknown_and_seen(h); seen > 0) return seen;
  }
  const std::vector<bool> whole = whole_list_writers(h);
  std::uint64_t n = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) n += whole[t] && h.status(TxnId{t}) == Status::kUnknown ? 1 : 0;
  return n;
}

class TimekillerWriter {
 public:
  TimekillerWriter(const History& h, Output& output)
      : h_(h), sink_(output.file("")), keys_(h.values()), values_(h.values()) {}

  WriteResult run() {
    prepare();
    const std::vector<bool> counts = effective(h_);
    numbered_ = keeps_numbers(h_, counts);
    bool first = true;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts[t]) {
        ++(h_.status(TxnId{t}) == Status::kAborted ? aborted_ : unknown_);
        continue;
      }
      if (h_.status(TxnId{t}) == Status::kUnknown) ++unknown_seen_;
      text_ = first ? "[" : ",\n";
      first = false;
      transaction(TxnId{t});
      sink_.write(text_);
    }
    sink_.write(first ? "[]\n" : "]\n");
    return WriteResult{lost(), transactions_, operations_};
  }

 private:
  void prepare() {
    const HistoryColumns& c = h_.columns();
    shift_ = packing_of(h_).value_or(kHybridShift);
    for (const ValueId name : c.key_name) keys_.add(name);
    for (std::uint32_t i = 0; i < h_.op_count(); ++i) {
      values_.add(h_.op_value(i));
      if (const auto elements = h_.values().elements(h_.op_value(i))) {
        for (const ValueId element : *elements) values_.add(element);
      }
    }
  }

  void transaction(TxnId txn) {
    ++transactions_;
    text_ += "{\"tid\":";
    h_.values().append_json(h_.columns().id[raw(txn)], text_);
    text_ += ",\"sid\":";
    h_.values().append_json(h_.columns().session_name[raw(h_.session(txn))], text_);
    if (numbered_ && h_.sno(txn) != kNoTime) fmt::format_to(std::back_inserter(text_), ",\"sno\":{}", h_.sno(txn));
    for (const bool is_start : {true, false}) {
      const std::int64_t time = is_start ? h_.start_ts(txn) : h_.commit_ts(txn);
      if (time < 0) continue;  // none, or one that has no place
      fmt::format_to(std::back_inserter(text_), ",\"{}\":{{\"p\":{},\"l\":{}}}", is_start ? "sts" : "cts",
                     time >> shift_, time & ((std::int64_t{1} << shift_) - 1));
    }
    text_ += ",\"ops\":[";
    bool first = true;
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      const OpKind kind = h_.op(i).kind();
      if (kind == OpKind::kIncrement || is_predicate(kind)) continue;
      ++operations_;
      fmt::format_to(std::back_inserter(text_), "{}{{\"t\":\"{}\",\"k\":{},\"v\":", first ? "" : ",",
                     kind == OpKind::kRead    ? 'r'
                     : kind == OpKind::kWrite ? 'w'
                                              : 'a',
                     keys_(h_.columns().key_name[raw(h_.op(i).key())]));
      first = false;
      if (kind == OpKind::kAppend) {
        scalar(h_.op_value(i));
      } else {
        value(h_.op(i).key(), h_.op_value(i));
      }
      text_ += '}';
    }
    text_ += "]}";
  }

  void value(KeyId key, ValueId v) {
    if (v == h_.initial(key)) {
      if (v != kNullValue) initial_moved_ = true;
      text_ += "null";
      return;
    }
    if (h_.values().type(v) != ValueType::kList) return scalar(v);
    text_ += '[';
    bool first = true;
    for (const ValueId element : h_.values().list(v)) {
      if (!first) text_ += ',';
      first = false;
      scalar(element);
    }
    text_ += ']';
  }

  void scalar(ValueId v) {
    if (const auto number = as_signed(h_.values(), v)) {
      fmt::format_to(std::back_inserter(text_), "{}", *number);
    } else {
      fmt::format_to(std::back_inserter(text_), "{}", values_(v));
    }
  }

  Lost lost() {
    Lost lost;
    if (keys_.given() > 0) {
      lost.push_back(fmt::format("{} keys that were numbered, such as {}", keys_.given(), keys_.example()));
    }
    if (values_.given() > 0) {
      lost.push_back(fmt::format("{} values that were numbered, such as {}", values_.given(), values_.example()));
    }
    if (initial_moved_ || h_.default_initial() != kNullValue) {
      lost.emplace_back("initial values: they are written as null");
    }
    if (aborted_ > 0) lost.push_back(fmt::format("{} aborted transactions", aborted_));
    if (unknown_ > 0)
      lost.push_back(fmt::format("{} transactions of unknown status that no other transaction saw", unknown_));
    if (unknown_seen_ > 0) lost.push_back(fmt::format("that {} seen transactions have unknown status", unknown_seen_));
    note_uncarried(h_, kTimekillerFormat, lost);
    return lost;
  }

  const History& h_;
  ByteSink& sink_;
  Numbering keys_, values_;
  std::string text_;
  int shift_ = kHybridShift;
  std::uint64_t aborted_ = 0, unknown_ = 0, unknown_seen_ = 0;
  std::uint64_t transactions_ = 0, operations_ = 0;
  bool initial_moved_ = false;
  bool numbered_ = false;  // numbers in sessions are written
};

}  // namespace

std::uint64_t unfit_for_timekiller(const History& h, HistoryContent content) {
  switch (content) {
    case HistoryContent::kInitialValues:
      return lists_with_initial(h);
    case HistoryContent::kUnknown:
      return unknown_unfit(h);
    case HistoryContent::kTimestamps:
      return negative_timestamps(h);
    case HistoryContent::kSessionGaps:
      return unfit_gaps(h);
    case HistoryContent::kAbout:
      return h.about().empty() || packing_of(h) ? 0 : 1;
    default:
      return 0;
  }
}

Result<WriteResult> write_timekiller(const History& history, Output& output) {
  return TimekillerWriter(history, output).run();
}

}  // namespace isolde
