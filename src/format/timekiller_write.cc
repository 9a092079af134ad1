#include "format/timekiller_write.h"

#include <fmt/format.h>

#include <charconv>

#include "format/register_output.h"

namespace isolde {
namespace {

class TimekillerWriter {
 public:
  TimekillerWriter(const History& h, Output& output)
      : h_(h), sink_(output.file("")), keys_(h.values()), values_(h.values()) {}

  Result<Lost> run() {
    if (auto error = only_registers(h_, "timekiller", true)) return *std::move(error);
    if (auto error = prepare()) return *std::move(error);
    const std::vector<bool> counts = effective(h_);
    bool first = true;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts[t]) {
        ++(h_.status(TxnId{t}) == Status::kAborted ? aborted_ : unknown_);
        continue;
      }
      if (h_.status(TxnId{t}) == Status::kUnknown) ++unknown_seen_;
      text_ = first ? "[" : ",\n";
      first = false;
      if (auto error = transaction(TxnId{t})) return *std::move(error);
      sink_.write(text_);
    }
    sink_.write(first ? "[]\n" : "]\n");
    return lost();
  }

 private:
  std::optional<Error> prepare() {
    const HistoryColumns& c = h_.columns();
    std::string_view about = h_.about();
    if (about.starts_with(kAboutHybrid) && about.ends_with(kAboutHybridEnd)) {
      about.remove_prefix(kAboutHybrid.size());
      int shift = 0;
      const auto [end, failed] = std::from_chars(about.data(), about.data() + about.size(), shift);
      if (failed == std::errc{} && std::string_view(end, about.data() + about.size()) == kAboutHybridEnd &&
          shift >= 0 && shift < 63) {
        shift_ = shift;
        about_is_ours_ = true;
      }
    }
    for (const ValueId name : c.key_name) keys_.add(name);
    is_list_.resize(h_.key_count(), false);
    for (std::uint32_t i = 0; i < h_.op_count(); ++i) {
      if (h_.op(i).kind() == OpKind::kAppend) is_list_[raw(h_.op(i).key())] = true;
      values_.add(h_.op_value(i));
      if (const auto elements = h_.values().elements(h_.op_value(i))) {
        for (const ValueId element : *elements) values_.add(element);
      }
    }
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (is_list_[k] && h_.initial(KeyId{k}) != kNullValue) {
        return Error{fmt::format("format timekiller has no place for a list that is not empty at first (key {})",
                                 h_.key_text(KeyId{k}))};
      }
    }
    return std::nullopt;
  }

  std::optional<Error> transaction(TxnId txn) {
    text_ += "{\"tid\":";
    h_.values().append_json(h_.columns().id[raw(txn)], text_);
    text_ += ",\"sid\":";
    h_.values().append_json(h_.columns().session_name[raw(h_.session(txn))], text_);
    for (const bool is_start : {true, false}) {
      const std::int64_t time = is_start ? h_.start_ts(txn) : h_.commit_ts(txn);
      if (time == kNoTime) continue;
      if (time < 0) {
        return Error{
            fmt::format("format timekiller has no place for timestamps below 0 (transaction {})", h_.txn_text(txn))};
      }
      fmt::format_to(std::back_inserter(text_), ",\"{}\":{{\"p\":{},\"l\":{}}}", is_start ? "sts" : "cts",
                     time >> shift_, time & ((std::int64_t{1} << shift_) - 1));
    }
    text_ += ",\"ops\":[";
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      const OpKind kind = h_.op(i).kind();
      fmt::format_to(std::back_inserter(text_), "{}{{\"t\":\"{}\",\"k\":{},\"v\":", i == h_.first_op(txn) ? "" : ",",
                     kind == OpKind::kRead    ? 'r'
                     : kind == OpKind::kWrite ? 'w'
                                              : 'a',
                     keys_(h_.columns().key_name[raw(h_.op(i).key())]));
      value(h_.op(i).key(), h_.op_value(i));
      text_ += '}';
    }
    text_ += "]}";
    return std::nullopt;
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
    if (unknown_ > 0) lost.push_back(fmt::format("{} transactions of unknown status that none saw", unknown_));
    if (unknown_seen_ > 0) lost.push_back(fmt::format("that {} seen transactions have unknown status", unknown_seen_));
    note_lost_evidence(h_, {.client_times = false, .timestamps = true, .about = about_is_ours_}, lost);
    return lost;
  }

  const History& h_;
  ByteSink& sink_;
  Numbering keys_, values_;
  std::vector<bool> is_list_;
  std::string text_;
  int shift_ = kHybridShift;
  std::uint64_t aborted_ = 0, unknown_ = 0, unknown_seen_ = 0;
  bool about_is_ours_ = false, initial_moved_ = false;
};

}  // namespace

Result<Lost> write_timekiller(const History& history, Output& output) {
  return TimekillerWriter(history, output).run();
}

}  // namespace isolde
