#include "format/native_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace isolde {
namespace {

void append_integer(std::int64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

void append_time(const char* field, std::int64_t value, std::string& out) {
  if (value == kNoTime) return;
  out += field;
  append_integer(value, out);
}

// Whether a JSON object may name the key: a string that cannot be taken for an integer. Other keys go in pairs.
bool is_plain_name(const History& h, KeyId k) {
  const ValueId name = h.columns().key_name[raw(k)];
  if (h.values().type(name) != ValueType::kString) return false;
  const std::string_view text = h.values().string(name);
  return text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'));
}

// `{"x":…,"y":…}` where all keys are plain names, else `[["x",…],[7,…]]`.
template <typename Range, typename KeyOf, typename PutValue>
void append_by_key(const History& h, const Range& range, KeyOf key_of, PutValue put_value, std::string& out) {
  bool as_object = true;
  for (const auto& entry : range) as_object = as_object && is_plain_name(h, key_of(entry));
  out += as_object ? '{' : '[';
  bool first = true;
  for (const auto& entry : range) {
    if (!first) out += ',';
    first = false;
    if (!as_object) out += '[';
    h.values().append_json(h.columns().key_name[raw(key_of(entry))], out);
    out += as_object ? ':' : ',';
    put_value(entry);
    if (!as_object) out += ']';
  }
  out += as_object ? '}' : ']';
}

class LineWriter {
 public:
  LineWriter(const History& history, std::string& out) : h_(history), out_(out) {}

  void txn(TxnId t) {
    head(t);
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      if (i > h_.first_op(t)) out_ += ',';
      operation(t, i);
    }
    out_ += "]}";
  }

  void share(TxnId t, std::span<const std::uint32_t> owner, std::uint32_t mine) {
    head(t);
    const char* separator = "";
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      const OpHead op = h_.op(i);
      if (!is_predicate(op.kind())) {
        if (owner[raw(op.key())] != mine) continue;
        out_ += separator;
        operation(t, i);
        separator = ",";
      } else if (op.kind() == OpKind::kUpdate) {
        for (const Item& made : h_.items(h_.predicate(op.predicate()))) {
          if (owner[raw(made.key)] != mine) continue;
          out_ += separator;
          out_ += "[\"w\",";
          key(made.key);
          out_ += ',';
          value(made.value);
          details(op, h_.at(t, OpId{i}), nullptr);
          out_ += ']';
          separator = ",";
        }
      }
    }
    out_ += "]}";
  }

 private:
  // Everything up to the first operation.
  void head(TxnId t) {
    out_ += "{\"id\":";
    value(h_.columns().id[raw(t)]);
    out_ += ",\"session\":";
    value(h_.columns().session_name[raw(h_.session(t))]);
    if (h_.status(t) == Status::kAborted) out_ += ",\"status\":\"aborted\"";
    if (h_.status(t) == Status::kUnknown) out_ += ",\"status\":\"unknown\"";
    append_time(",\"begin\":", h_.begin(t), out_);
    append_time(",\"end\":", h_.end(t), out_);
    if (const History::Interval commit = h_.commit_interval(t); commit.before != kNoTime) commit_interval(commit);
    append_time(",\"start_ts\":", h_.start_ts(t), out_);
    append_time(",\"commit_ts\":", h_.commit_ts(t), out_);
    append_time(",\"order\":", h_.order(t), out_);
    append_time(",\"sno\":", h_.sno(t), out_);
    if (const Snapshot* s = h_.snapshot(t)) snapshot(*s);
    out_ += ",\"ops\":[";
  }

  void value(ValueId v) {
    if (is_inline_integer(v)) {
      append_integer(raw(v), out_);
    } else {
      h_.values().append_json(v, out_);
    }
  }
  void key(KeyId k) { value(h_.columns().key_name[raw(k)]); }

  void commit_interval(const History::Interval& commit) {
    append_time(",\"commit\":[", commit.before, out_);
    out_ += ',';
    if (commit.after == kNoTime) {
      out_ += "null";
    } else {
      append_integer(commit.after, out_);
    }
    out_ += ']';
  }

  void snapshot(const Snapshot& s) {
    out_ += ",\"snapshot\":{";
    if (s.has_xid != 0) {
      out_ += "\"xid\":";
      append_integer(s.xid, out_);
      out_ += ',';
    }
    out_ += "\"xmin\":";
    append_integer(s.xmin, out_);
    out_ += ",\"xmax\":";
    append_integer(s.xmax, out_);
    out_ += ",\"active\":[";
    for (std::uint32_t i = 0; i < s.active_count; ++i) {
      if (i > 0) out_ += ',';
      append_integer(h_.columns().active_xids[s.active + i], out_);
    }
    out_ += "]}";
  }

  void items(std::span<const Item> list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      out_ += i > 0 ? ",[" : "[";
      key(list[i].key);
      out_ += ',';
      value(list[i].value);
      out_ += ']';
    }
    out_ += ']';
  }

  void operation(TxnId t, std::uint32_t i) {
    const OpHead op = h_.op(i);
    const Predicate* const predicate = is_predicate(op.kind()) ? &h_.predicate(op.predicate()) : nullptr;
    switch (op.kind()) {
      case OpKind::kRead:
        item("[\"r\",", op, i);
        break;
      case OpKind::kWrite:
        item("[\"w\",", op, i);
        break;
      case OpKind::kAppend:
        item("[\"append\",", op, i);
        break;
      case OpKind::kIncrement:
        item("[\"inc\",", op, i);
        break;
      case OpKind::kScan:
      case OpKind::kUpdate:
        out_ += op.kind() == OpKind::kScan ? "[\"scan\"," : "[\"update\",";
        value(predicate->where);
        out_ += ',';
        items(h_.items(*predicate));
        break;
      case OpKind::kAggregate:
        out_ += "[\"agg\",";
        value(predicate->aggregate);
        out_ += ',';
        value(predicate->where);
        out_ += ',';
        value(h_.op_value(i));
        break;
    }
    details(op, h_.at(t, OpId{i}), predicate);
    out_ += ']';
  }

  void item(const char* start, OpHead op, std::uint32_t i) {
    out_ += start;
    key(op.key());
    out_ += ',';
    value(h_.op_value(i));
  }

  void details(OpHead op, History::Interval at, const Predicate* predicate) {
    const char* separator = ",{";
    if (at.before != kNoTime) {
      out_ += ",{\"at\":[";
      append_integer(at.before, out_);
      out_ += ',';
      append_integer(at.after, out_);
      out_ += ']';
      separator = ",";
    }
    if (op.lock() != Lock::kNone) {
      out_ += separator;
      out_ += op.lock() == Lock::kUpdate ? "\"lock\":\"update\"" : "\"lock\":\"share\"";
      separator = ",";
    }
    if (predicate != nullptr && predicate->has_vset != 0) {
      out_ += separator;
      out_ += "\"vset\":";
      append_by_key(
          h_, h_.vset(*predicate), [](const Item& i) { return i.key; }, [this](const Item& i) { value(i.value); },
          out_);
      separator = ",";
    }
    if (separator[1] == '\0') out_ += '}';
  }

  const History& h_;
  std::string& out_;
};

void header(const History& h, std::string& out) {
  out += "{\"isolde\":1";
  if (!h.about().empty()) {
    out += ",\"about\":";
    append_json_string(h.about(), out);
  }
  if (h.has_flag(kInitialGuessed)) out += ",\"initial_guessed\":true";
  if (h.has_flag(kSerialByCommitTs)) out += ",\"serial_by\":\"commit_ts\"";
  // A list as the initial value of every key is no scalar, which alone can be said of all: each key has it as its own.
  const bool is_list = h.values().type(h.default_initial()) == ValueType::kList;
  const ValueId usual = is_list ? kNullValue : h.default_initial();
  std::vector<KeyId> own;  // keys with an initial value of their own
  bool all_plain = true;
  for (std::uint32_t k = 0; k < h.key_count() && (is_list || !h.columns().key_initial.empty()); ++k) {
    if (h.initial(KeyId{k}) == usual) continue;
    own.push_back(KeyId{k});
    all_plain = all_plain && is_plain_name(h, KeyId{k});
  }
  // By name: the order in which keys were met says nothing.
  std::sort(own.begin(), own.end(), [&](KeyId a, KeyId b) { return h.key_text(a) < h.key_text(b); });
  const bool as_object = all_plain && !own.empty() && usual == kNullValue;
  out += ",\"initial\":";
  if (!as_object) h.values().append_json(usual, out);
  if (!as_object && !own.empty()) out += ",\"initial_of\":";
  if (!own.empty()) {
    append_by_key(h, own, [](KeyId k) { return k; }, [&](KeyId k) { h.values().append_json(h.initial(k), out); }, out);
  }
  out += "}\n";
}

void fault_mark(const History& h, const FaultMark& fault, std::string& out) {
  out += "{\"fault\":";
  h.values().append_json(fault.name, out);
  append_time(fault.end == kNoTime ? ",\"at\":" : ",\"at\":[", fault.begin, out);
  append_time(",", fault.end, out);
  if (fault.end != kNoTime) out += ']';
  if (fault.detail != kNullValue) {
    out += ",\"detail\":";
    h.values().append_json(fault.detail, out);
  }
  out += "}\n";
}

void version_order(const History& h, const VersionOrder& order, std::string& out) {
  out += order.by_txn != 0 ? "{\"version_order_by_txn\":" : "{\"version_order\":";
  const auto put_entries = [&](const VersionOrder&) {
    out += '[';
    for (std::uint32_t i = 0; i < order.count; ++i) {
      if (i > 0) out += ',';
      const std::uint32_t entry = h.columns().version_entries[order.first + i];
      h.values().append_json(order.by_txn != 0 ? h.columns().id[entry] : ValueId{entry}, out);
    }
    out += ']';
  };
  append_by_key(h, std::span(&order, 1), [](const VersionOrder& o) { return o.key; }, put_entries, out);
  out += order.complete != 0 ? ",\"complete\":true}\n" : ",\"complete\":false}\n";
}

}  // namespace

void append_native_line(const History& history, TxnId txn, std::string& out) { LineWriter(history, out).txn(txn); }

void append_native_share(const History& history, TxnId txn, std::span<const std::uint32_t> owner, std::uint32_t mine,
                         std::string& out) {
  LineWriter(history, out).share(txn, owner, mine);
}

void append_native_header(const History& history, std::string& out) { header(history, out); }

Result<WriteResult> write_native(const History& h, Output& output) {
  ByteSink& sink = output.file("");
  std::string out;
  header(h, out);
  LineWriter writer(h, out);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    writer.txn(TxnId{t});
    out += '\n';
    if (out.size() > (1U << 20)) {
      sink.write(out);
      out.clear();
    }
  }
  for (const VersionOrder& order : h.columns().version_orders) {
    version_order(h, order, out);
    sink.write(out);
    out.clear();
  }
  for (const FaultMark& fault : h.faults()) fault_mark(h, fault, out);
  sink.write(out);
  return WriteResult{{}, h.txn_count(), h.op_count()};
}

}  // namespace isolde
