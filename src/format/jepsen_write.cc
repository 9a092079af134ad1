#include "format/jepsen_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "format/edn.h"
#include "format/jepsen.h"
#include "format/jepsen_bank.h"
#include "format/jepsen_nemesis.h"
#include "format/jepsen_schedule.h"
#include "format/register_output.h"
#include "history/guessed_initial.h"

namespace isolde {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

// The predicate of closed-predicate histories that the SQL text stands for; empty if there is none.
std::string predicate_of(std::string_view where) {
  if (where == "TRUE") return ":true";
  if (where == "value IS NULL") return "[:= nil]";
  const auto is_integer = [](std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    return digits.size() < 19 && is_all_digits(digits);
  };
  constexpr std::string_view kEquals = "value = ";
  constexpr std::string_view kModulo = "value % ";
  if (where.starts_with(kEquals)) {
    const std::string_view text = where.substr(kEquals.size());
    if (is_integer(text)) return fmt::format("[:= {}]", text);
    if (text == "TRUE" || text == "FALSE") return text == "TRUE" ? "[:= true]" : "[:= false]";
    if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return {};
    std::string plain;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\'' && (i + 2 >= text.size() || text[++i] != '\'')) return {};
      plain += text[i];
    }
    std::string out = "[:= ";
    append_edn_string(plain, out);
    return out + "]";
  }
  if (where.starts_with(kModulo)) {
    const std::string_view text = where.substr(kModulo.size());
    const std::size_t middle = text.find(" = ");
    if (middle == std::string_view::npos) return {};
    const std::string_view divisor = text.substr(0, middle);
    const std::string_view rest = text.substr(middle + 3);
    if (is_integer(divisor) && is_integer(rest)) return fmt::format("[:mod {} {}]", divisor, rest);
  }
  return {};
}

// The workload that a file's operations are of.
enum class JepsenShape : std::uint8_t { kTxn, kBank, kCounter };

bool is_bank_txn(const History& h, TxnId t) {
  const std::uint32_t first = h.first_op(t);
  const std::uint32_t count = h.end_op(t) - first;
  // Reads of different accounts: a map has each once.
  const auto all_reads = [&] {
    std::unordered_set<std::uint32_t> keys;
    for (std::uint32_t op = first; op < h.end_op(t); ++op) {
      if (h.op(op).kind() != OpKind::kRead || !keys.insert(raw(h.op(op).key())).second) return false;
    }
    return true;
  };
  // An empty read {} would be read back as one that is not known, which says the same.
  if (all_reads()) return true;
  if (count != 2 || h.op(first).kind() != OpKind::kIncrement || h.op(first + 1).kind() != OpKind::kIncrement)
    return false;
  const std::int64_t from = h.values().integer(h.op_value(first));
  const std::int64_t to = h.values().integer(h.op_value(first + 1));
  return from != INT64_MIN && to == -from;
}

bool is_counter_txn(const History& h, TxnId t) {
  const std::uint32_t first = h.first_op(t);
  if (h.end_op(t) == first) return true;
  if (h.end_op(t) - first != 1 || is_predicate(h.op(first).kind())) return false;
  const OpHead op = h.op(first);
  return (op.kind() == OpKind::kIncrement || op.kind() == OpKind::kRead) && h.key_text(op.key()) == "counter" &&
         h.values().type(h.op_value(first)) == ValueType::kInteger;
}

// What the nemesis did, in the order of its times: each fault as two operations, as a nemesis logs it; of a moment both
// have the same place. `ends`: this one says what came of it.
struct NemesisOp {
  std::int64_t time;
  const FaultMark* fault;
  bool ends;
};
std::vector<NemesisOp> nemesis_ops(const History& h) {
  std::vector<NemesisOp> ops;
  for (const FaultMark& fault : h.faults()) {
    ops.push_back({fault.begin, &fault, false});
    ops.push_back({fault.end == kNoTime ? fault.begin : fault.end, &fault, true});
  }
  std::ranges::stable_sort(ops, {}, &NemesisOp::time);
  return ops;
}

// Whether a reader of a bank file finds the initial values by itself: of a key that nothing is added to, what the
// file's first read of it says; of others, format/jepsen_bank.h.
bool initials_are_found(const History& h) {
  const JepsenSchedule schedule = schedule_jepsen(h, 0, Unanswered::kSaysNoReads);
  FilePlaces places;
  places.order = reading_order(h, schedule);
  places.begin.assign(h.txn_count(), kNoTime);
  places.end.assign(h.txn_count(), kNoTime);
  bool invokes = false;
  for (std::size_t i = 0; i < schedule.events.size(); ++i) {
    const JepsenEvent& event = schedule.events[i];
    invokes = invokes || event.is_invocation;
    if (!event.is_invocation && h.status(event.txn) == Status::kUnknown) continue;
    (event.is_invocation ? places.begin : places.end)[raw(event.txn)] = static_cast<std::int64_t>(i);
  }
  if (!invokes) places.end.assign(h.txn_count(), kNoTime);
  const BankStart start = bank_start(h, places);
  if (start.guessed != has_guessed_initial(h)) return false;
  std::vector<std::optional<ValueId>> first(h.key_count());
  std::vector<bool> added(h.key_count(), false);
  for (const TxnId t : places.order) {
    for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
      const OpHead op = h.op(i);
      if (op.kind() == OpKind::kRead && !first[raw(op.key())]) first[raw(op.key())] = h.op_value(i);
      if (op.kind() == OpKind::kIncrement) added[raw(op.key())] = true;
    }
  }
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const ValueId initial = h.initial(KeyId{k});
    if (!added[k] && initial != first[k].value_or(kNullValue)) return false;
    if (!added[k]) continue;
    const bool same = start.first[k] ? h.values().type(initial) == ValueType::kInteger &&
                                           h.values().integer(initial) == *start.first[k]
                                     : initial == kNullValue;
    if (!same) return false;
  }
  return true;
}

JepsenShape shape_of(const History& h) {
  const auto ops = h.columns().op;
  if (std::none_of(ops.begin(), ops.end(), [](OpHead op) { return op.kind() == OpKind::kIncrement; }))
    return JepsenShape::kTxn;
  bool bank = h.default_initial() == kNullValue && initials_are_found(h);
  bool counter = h.default_initial() == ValueId{0} && h.columns().key_initial.empty();
  for (std::uint32_t t = 0; t < h.txn_count() && (bank || counter); ++t) {
    bank = bank && is_bank_txn(h, TxnId{t});
    counter = counter && is_counter_txn(h, TxnId{t});
  }
  return bank ? JepsenShape::kBank : counter ? JepsenShape::kCounter : JepsenShape::kTxn;
}

std::uint64_t scans_without_form(const History& h) {
  std::uint64_t scans = 0;
  for (const OpHead op : h.columns().op) {
    if (op.kind() != OpKind::kScan) continue;
    if (predicate_of(h.values().string(h.predicate(op.predicate()).where)).empty()) ++scans;
  }
  return scans;
}

// Transactions of unknown outcome that count as committed and found a key absent: in an operation that is not :ok, nil
// is a result that is not known.
std::uint64_t unknown_with_absent_reads(const History& h) {
  const std::vector<bool> counts = effective(h);
  std::uint64_t n = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (!counts[t] || h.status(TxnId{t}) != Status::kUnknown) continue;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() != OpKind::kRead || h.op_value(i) != kNullValue) continue;
      ++n;
      break;
    }
  }
  return n;
}

class JepsenWriter {
 public:
  JepsenWriter(const History& history, ByteSink& sink) : h_(history), sink_(sink) {}
  WriteResult write();

 private:
  void name_sessions();
  void name_keys();
  [[nodiscard]] std::string initial_map();
  [[nodiscard]] std::uint64_t operations_written() const;

  void write_event(const JepsenEvent& event);
  void append_txn(TxnId t, bool known);
  void append_bank(TxnId t, bool known);
  void append_counter(TxnId t, bool known);
  bool append_op(std::uint32_t op, bool known);
  void append_items(std::span<const Item> items);
  void append_value(ValueId v);
  void flush(std::size_t least) {
    if (out_.size() < least) return;
    sink_.write(out_);
    out_.clear();
  }
  void lose(std::uint64_t count, std::string_view what) {
    if (count > 0) lost_.push_back(fmt::format("{} {}", count, what));
  }

  const History& h_;
  ByteSink& sink_;
  std::string out_;
  Lost lost_;
  JepsenShape shape_ = JepsenShape::kTxn;
  std::vector<std::int64_t> process_;
  std::vector<std::string> key_;
};

void JepsenWriter::name_sessions() {
  const auto names = h_.columns().session_name;
  process_.assign(names.size(), -1);
  std::int64_t free = 0;
  std::uint64_t renamed = 0;
  for (std::size_t s = 0; s < names.size(); ++s) {
    if (h_.values().type(names[s]) != ValueType::kInteger) {
      ++renamed;
      continue;
    }
    process_[s] = h_.values().integer(names[s]);
    if (process_[s] < INT64_MAX / 2) free = std::max(free, process_[s] + 1);
  }
  for (std::size_t s = 0; s < names.size() && renamed > 0; ++s) {
    if (h_.values().type(names[s]) != ValueType::kInteger) process_[s] = free++;
  }
  lose(renamed, "session names that are not integers: the processes are numbered");
}

void JepsenWriter::name_keys() {
  std::uint64_t odd = 0;
  for (const ValueId name : h_.columns().key_name) {
    const ValueType type = h_.values().type(name);
    if (type == ValueType::kString && is_simple_name(h_.values().string(name))) {
      key_.push_back(":" + std::string(h_.values().string(name)));
      continue;
    }
    if (type != ValueType::kString && type != ValueType::kInteger) ++odd;
    append_value(name);
    key_.push_back(std::move(out_));
    out_.clear();
  }
  lose(odd, "keys that are neither integers nor strings: they are written as text");
}

void JepsenWriter::append_value(ValueId v) {
  const ValueTable& values = h_.values();
  switch (values.type(v)) {
    case ValueType::kNull:
      out_ += "nil";
      return;
    case ValueType::kString:
      append_edn_string(values.string(v), out_);
      return;
    case ValueType::kList: {
      out_ += '[';
      bool first = true;
      for (const ValueId element : values.list(v)) {
        if (!first) out_ += ' ';
        first = false;
        append_value(element);
      }
      out_ += ']';
      return;
    }
    case ValueType::kRow: {
      out_ += '{';
      bool first = true;
      for (const RowField& field : values.row(v)) {
        if (!first) out_ += ", ";
        first = false;
        const std::string_view name = values.string(field.name);
        if (is_simple_name(name)) {
          out_ += ':';
          out_ += name;
        } else {
          append_edn_string(name, out_);
        }
        out_ += ' ';
        append_value(field.value);
      }
      out_ += '}';
      return;
    }
    default:
      values.append_json(v, out_);
  }
}

// The map of the :init operation, or empty if every key is absent at first.
std::string JepsenWriter::initial_map() {
  if (shape_ != JepsenShape::kTxn) return {};
  bool any = false;
  out_ = "{";
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
    const ValueId initial = h_.initial(KeyId{k});
    if (initial == kNullValue) continue;
    if (any) out_ += ", ";
    any = true;
    out_ += key_[k] + ' ';
    append_value(initial);
  }
  if (h_.default_initial() != kNullValue)
    lost_.emplace_back("the initial value of keys that the history does not name");
  std::string map = std::move(out_) + "}";
  out_.clear();
  return any ? map : std::string();
}

std::uint64_t JepsenWriter::operations_written() const {
  std::uint64_t left_out = 0;
  for (const HistoryContent content : {HistoryContent::kIncrements, HistoryContent::kScans})
    left_out += unfit_for_jepsen(h_, content);
  for (const HistoryContent content : {HistoryContent::kAggregates, HistoryContent::kUpdates})
    left_out += count(h_, content);
  return h_.op_count() - left_out;
}

WriteResult JepsenWriter::write() {
  name_sessions();
  name_keys();
  shape_ = shape_of(h_);
  const std::string initial = initial_map();
  if (const std::string left_out = decisive_losses(h_, kJepsenEdnFormat); !left_out.empty()) {
    out_ += fmt::format("; lossy, written by isolde: left out {}; a verdict on this file may differ\n", left_out);
  }
  JepsenSchedule schedule = schedule_jepsen(
      h_, initial.empty() ? 0 : 2, shape_ == JepsenShape::kTxn ? Unanswered::kSaysAll : Unanswered::kSaysNoReads);
  if (!initial.empty()) {
    for (const std::int64_t i : {0, 1}) {
      out_ += '{';
      if (schedule.first_index != kNoTime) out_ += fmt::format(":index {}, ", schedule.first_index + i);
      out_ += fmt::format(":type :{}, :process 0, :f :init, :value {}}}\n", i == 0 ? "invoke" : "ok", initial);
    }
  }
  const std::vector<NemesisOp> nemesis = schedule.by_time ? nemesis_ops(h_) : std::vector<NemesisOp>();
  auto next = nemesis.begin();
  const auto write_nemesis_until = [&](std::int64_t time) {
    for (; next != nemesis.end() && next->time <= time; ++next) append_nemesis_op(h_, *next->fault, next->ends, out_);
  };
  for (const JepsenEvent& event : schedule.events) {
    write_nemesis_until(event.time == INT64_MAX ? kNoTime : event.time);
    write_event(event);
    flush(kBuffer);
  }
  write_nemesis_until(INT64_MAX);
  flush(1);
  lost_.insert(lost_.end(), schedule.lost.begin(), schedule.lost.end());
  note_uncarried(h_, kJepsenEdnFormat, lost_);
  return WriteResult{std::move(lost_), h_.txn_count(), operations_written()};
}

void JepsenWriter::write_event(const JepsenEvent& event) {
  const Status status = h_.status(event.txn);
  out_ += '{';
  if (event.index != kNoTime) {
    out_ += ":index ";
    const fmt::format_int text(event.index);
    out_.append(text.data(), text.size());
    out_ += ", ";
  }
  out_ += event.is_invocation            ? ":type :invoke"
          : status == Status::kCommitted ? ":type :ok"
          : status == Status::kAborted   ? ":type :fail"
                                         : ":type :info";
  out_ += ", :process ";
  const fmt::format_int process(process_[raw(h_.session(event.txn))]);
  out_.append(process.data(), process.size());
  // An unanswered invocation is all that the file has of its transaction, so it also says what was read: in :txn. A
  // bank's or a counter's reads are completed by :info.
  const bool known = !event.is_invocation || (status == Status::kUnknown && shape_ == JepsenShape::kTxn);
  switch (shape_) {
    case JepsenShape::kTxn:
      append_txn(event.txn, known);
      break;
    case JepsenShape::kBank:
      append_bank(event.txn, known);
      break;
    case JepsenShape::kCounter:
      append_counter(event.txn, known);
      break;
  }
  out_ += "}\n";
}

void JepsenWriter::append_txn(TxnId t, bool known) {
  out_ += ", :f :txn, :value [";
  bool first = true;
  for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
    const std::size_t before = out_.size();
    if (!first) out_ += ' ';
    if (append_op(op, known)) {
      first = false;
    } else {
      out_.resize(before);
    }
  }
  out_ += ']';
}

// False: the operation cannot be written.
bool JepsenWriter::append_op(std::uint32_t op, bool known) {
  const OpHead head = h_.op(op);
  switch (head.kind()) {
    case OpKind::kRead:
      out_ += "[:r " + key_[raw(head.key())] + ' ';
      break;
    case OpKind::kWrite:
      out_ += "[:w " + key_[raw(head.key())] + ' ';
      break;
    case OpKind::kAppend:
      out_ += "[:append " + key_[raw(head.key())] + ' ';
      break;
    case OpKind::kIncrement:
    case OpKind::kAggregate:
    case OpKind::kUpdate:
      return false;
    case OpKind::kScan: {
      const Predicate& predicate = h_.predicate(head.predicate());
      const std::string text = predicate_of(h_.values().string(predicate.where));
      if (text.empty()) return false;
      out_ += "[:rp " + text + ' ';
      if (known) {
        append_items(h_.items(predicate));
      } else {
        out_ += "nil";
      }
      out_ += ']';
      return true;
    }
  }
  if (head.kind() == OpKind::kRead && !known) {
    out_ += "nil";
  } else {
    append_value(h_.op_value(op));
  }
  out_ += ']';
  return true;
}

void JepsenWriter::append_items(std::span<const Item> items) {
  out_ += '{';
  bool first = true;
  for (const Item& item : items) {
    if (!first) out_ += ", ";
    first = false;
    out_ += key_[raw(item.key)] + ' ';
    append_value(item.value);
  }
  out_ += '}';
}

void JepsenWriter::append_bank(TxnId t, bool known) {
  const std::uint32_t first = h_.first_op(t);
  if (first < h_.end_op(t) && h_.op(first).kind() == OpKind::kIncrement) {
    out_ += fmt::format(", :f :transfer, :value {{:from {}, :to {}, :amount {}}}", key_[raw(h_.op(first).key())],
                        key_[raw(h_.op(first + 1).key())], h_.values().integer(h_.op_value(first + 1)));
    return;
  }
  out_ += ", :f :read, :value ";
  if (!known || first == h_.end_op(t)) {
    out_ += "nil";
    return;
  }
  out_ += '{';
  for (std::uint32_t op = first; op < h_.end_op(t); ++op) {
    if (op > first) out_ += ", ";
    out_ += key_[raw(h_.op(op).key())] + ' ';
    append_value(h_.op_value(op));
  }
  out_ += '}';
}

void JepsenWriter::append_counter(TxnId t, bool known) {
  const std::uint32_t op = h_.first_op(t);
  const bool empty = op == h_.end_op(t);
  const bool adds = !empty && h_.op(op).kind() == OpKind::kIncrement;
  out_ += adds ? ", :f :add, :value " : ", :f :read, :value ";
  if (empty || (!adds && !known)) {
    out_ += "nil";
  } else {
    append_value(h_.op_value(op));
  }
}

}  // namespace

Result<WriteResult> write_jepsen(const History& history, Output& output) {
  // A file without operations would be none that this or any other reader takes for a Jepsen history.
  if (history.txn_count() == 0) return Error{"a history without transactions has no form in EDN"};
  return JepsenWriter(history, output.file("")).write();
}

std::uint64_t unfit_for_jepsen(const History& h, HistoryContent content) {
  switch (content) {
    case HistoryContent::kIncrements: {
      const std::uint64_t increments = count(h, content);
      return increments > 0 && shape_of(h) == JepsenShape::kTxn ? increments : 0;
    }
    case HistoryContent::kScans:
      return scans_without_form(h);
    case HistoryContent::kUnknown:
      return unknown_with_absent_reads(h);
    case HistoryContent::kClientTimes:
      return schedule_jepsen(h, 0, Unanswered::kSaysAll).keeps_real_time ? 0 : count(h, content);
    case HistoryContent::kFaults:
      return schedule_jepsen(h, 0, Unanswered::kSaysAll).by_time ? 0 : count(h, content);
    default:
      return 0;
  }
}

}  // namespace isolde
