#include "format/jepsen_workload.h"

#include <fmt/format.h>

#include <array>

namespace isolde {
namespace {

constexpr std::array<std::string_view, 6> kMicroNames = {"r", "w", "append", "insert", "delete", "rp"};

bool is_micro(EdnRef form) {
  if (!form.is_sequence() || form.size() < 2) return false;
  const EdnRef name = form.child(0);
  for (const std::string_view known : kMicroNames) {
    if (name.is_named(known)) return true;
  }
  return false;
}

bool is_micros(EdnRef value) {
  if (!value.is_sequence() || value.size() == 0) return false;
  for (const EdnRef child : value.children()) {
    if (!is_micro(child)) return false;
  }
  return true;
}

bool is_pair(EdnRef form) { return form.is_sequence() && form.size() == 2; }

bool is_group(EdnRef form) { return form.is_sequence() || form.kind() == EdnKind::kSet; }

EdnFault unexpected_function(const JepsenOp& op, std::string_view workload, std::string_view expected) {
  if (!op.f) return {fmt::format("expected :f in an operation of a {} history", workload), op.offset};
  return {fmt::format("expected {} as :f in a {} history, found {}", expected, workload, shown_form(op.f)),
          op.f.offset()};
}

EdnFault expected_value(const JepsenOp& op, EdnRef value, std::string_view expected) {
  if (!value) return {fmt::format("expected {} as :value, the operation has none", expected), op.offset};
  return {fmt::format("expected {} as :value, found {}", expected, shown_form(value)), value.offset()};
}

}  // namespace

bool WorkloadFinder::see(const JepsenOp& op) {
  const bool value = op.has_value();
  functions_ = functions_ || static_cast<bool>(op.f);
  if (op.is("txn") || (value && is_micros(op.value)) || (op.is("init") && value && op.value.kind() == EdnKind::kMap)) {
    decided_ = Workload::kTxn;
  } else if (op.is("transfer") || (op.is("read") && value && op.value.kind() == EdnKind::kMap)) {
    decided_ = Workload::kBank;
  } else if (op.is("acquire") || op.is("release")) {
    decided_ = Workload::kMutex;
  } else if (op.is("cas") && value) {
    decided_ = is_pair(op.value) && is_pair(op.value.child(1)) ? Workload::kKeyedRegister : Workload::kRegister;
  } else if (op.is("write") && value) {
    decided_ = is_pair(op.value) ? Workload::kKeyedRegister : Workload::kRegister;
  } else if (op.is("read") && value && op.type == JepsenType::kInvoke) {
    decided_ = is_pair(op.value) ? Workload::kKeyedRegister : Workload::kRegister;
  } else {
    adds_ = adds_ || op.is("add");
    integer_reads_ = integer_reads_ || (op.is("read") && value && op.value.is_integer());
    list_reads_ = list_reads_ || (op.is("read") && value && is_group(op.value));
    if (op.is("add") && value && !op.value.is_integer()) decided_ = Workload::kSet;
    if (adds_ && integer_reads_) decided_ = Workload::kCounter;
    if (adds_ && list_reads_) decided_ = Workload::kSet;
  }
  return decided_ != Workload::kUndecided;
}

Workload WorkloadFinder::workload() const {
  if (decided_ != Workload::kUndecided) return decided_;
  if (adds_ || list_reads_) return Workload::kSet;
  return functions_ ? Workload::kRegister : Workload::kTxn;
}

WorkloadMapper::WorkloadMapper(HistoryBuilder& builder, JepsenNames& names, Workload workload)
    : builder_(builder), names_(names), workload_(workload) {
  if (workload == Workload::kCounter) builder_.set_default_initial(builder_.values().integer(0));
  if (workload == Workload::kMutex) builder_.set_initial(names_.own_key("mutex"), builder_.values().boolean(false));
}

bool WorkloadMapper::is_init(const JepsenOp& op) const { return workload_ == Workload::kTxn && op.is("init"); }

std::optional<EdnFault> WorkloadMapper::add_initial(const JepsenOp& op) {
  if (!op.has_value() || op.value.kind() != EdnKind::kMap)
    return expected_value(op, op.value, "a map of keys and values");
  collect_items(op.value);
  for (const Item& item : items_) builder_.set_initial(item.key, item.value);
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add(Status status, const JepsenOp* invocation, const JepsenOp* completion) {
  if (workload_ == Workload::kTxn) return add_txn(status, invocation, completion);
  const JepsenOp& op = completion != nullptr ? *completion : *invocation;
  // A completion may leave out what the invocation said; then what was asked for is known, and what was read is not.
  JepsenOp merged = op;
  if (invocation != nullptr && !merged.f) merged.f = invocation->f;
  const bool own_value = completion != nullptr && completion->value;
  EdnRef value = own_value ? completion->value : EdnRef();
  const bool completed_without = !own_value || value.is_nil();
  if (completed_without && invocation != nullptr && !merged.is("read") && invocation->has_value()) {
    value = invocation->value;
  }
  switch (workload_) {
    case Workload::kBank:
      return add_bank(merged, value);
    case Workload::kCounter:
      return add_counter(merged, value);
    case Workload::kSet:
      return add_set(merged, value);
    case Workload::kMutex:
      return add_mutex(status, merged);
    default:
      return add_register(status, merged, value, own_value);
  }
}

void WorkloadMapper::collect_items(EdnRef map) {
  items_.clear();
  EdnRef key;
  for (const EdnRef child : map.children()) {
    if (!key) {
      key = child;
      continue;
    }
    items_.push_back({names_.map_key(key), names_.value(child)});
    key = EdnRef();
  }
}

std::optional<EdnFault> WorkloadMapper::add_txn(Status status, const JepsenOp* invocation, const JepsenOp* completion) {
  const JepsenOp* op = completion != nullptr && completion->has_value() ? completion : invocation;
  if (op == nullptr || !op->has_value()) return std::nullopt;
  // A client that failed may tell less than it was asked to do; all that was asked for may have been written.
  if (status != Status::kCommitted && op == completion && invocation != nullptr && invocation->has_value() &&
      invocation->value.is_sequence() && op->value.is_sequence() && invocation->value.size() > op->value.size()) {
    op = invocation;
  }
  if (is_init(*op) && op->value.kind() == EdnKind::kMap) {
    collect_items(op->value);
    for (const Item& item : items_) builder_.write(item.key, item.value);
    return std::nullopt;
  }
  if (!op->value.is_sequence()) return expected_value(*op, op->value, "a vector of micro-operations");
  const bool reads_known = status == Status::kCommitted && op == completion;
  for (const EdnRef micro : op->value.children()) {
    if (Fault fault = add_micro(micro, reads_known)) return fault;
  }
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add_micro(EdnRef micro, bool reads_known) {
  if (!micro.is_sequence() || micro.size() < 2 || !micro.child(0).is_name()) {
    return EdnFault{fmt::format("expected a micro-operation such as [:r k v], found {}", shown_form(micro)),
                    micro.offset()};
  }
  auto at = micro.children().begin();
  const EdnRef name = *at;
  ++at;
  const EdnRef subject = *at;
  ++at;
  const std::string_view text = name.text();
  if (text == "rp") return add_predicate_read(micro);
  if (text == "delete") {
    builder_.write(names_.key(subject), kNullValue);
    return std::nullopt;
  }
  const bool is_read = text == "r";
  if (!is_read && text != "append" && text != "w" && text != "insert") {
    return EdnFault{fmt::format("expected :r, :w, :append, :insert, :delete or :rp, found {}", shown_form(name)),
                    name.offset()};
  }
  if (micro.size() > 3 || (micro.size() == 2 && !is_read)) {
    return EdnFault{fmt::format("expected [:{} key value], found {} elements", text, micro.size()), micro.offset()};
  }
  if (is_read) {
    if (micro.size() == 2 || (!reads_known && (*at).is_nil())) return std::nullopt;
    builder_.read(names_.key(subject), names_.value(*at));
  } else if (text == "append") {
    builder_.append(names_.key(subject), names_.value(*at));
  } else {
    builder_.write(names_.key(subject), names_.value(*at));
  }
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add_predicate_read(EdnRef micro) {
  std::string where;
  if (Fault fault = where_of(micro.child(1), where)) return fault;
  if (micro.size() == 2 || micro.child(2).is_nil()) return std::nullopt;
  const EdnRef result = micro.child(2);
  if (micro.size() > 3 || result.kind() != EdnKind::kMap) {
    return EdnFault{fmt::format("expected a map of keys and values as result of :rp, found {}", shown_form(result)),
                    result.offset()};
  }
  collect_items(result);
  builder_.scan(where, items_);
  return std::nullopt;
}

void WorkloadMapper::append_literal(EdnRef value, std::string& where) {
  const ValueId id = names_.value(value);
  const ValueTable table = builder_.values().table();
  if (table.type(id) != ValueType::kString) {
    where += table.type(id) == ValueType::kBoolean ? (table.boolean(id) ? "TRUE" : "FALSE") : table.json(id);
    return;
  }
  where += '\'';
  for (const char c : table.string(id)) {
    if (c == '\'') where += c;
    where += c;
  }
  where += '\'';
}

std::optional<EdnFault> WorkloadMapper::where_of(EdnRef predicate, std::string& where) {
  if (predicate.is_named("true") || (predicate.kind() == EdnKind::kBoolean && predicate.integer() != 0)) {
    where = "TRUE";
    return std::nullopt;
  }
  if (predicate.is_sequence() && predicate.size() == 2 && predicate.child(0).is_named("=") &&
      !predicate.child(1).is_collection()) {
    if (predicate.child(1).is_nil()) {
      where = "value IS NULL";
      return std::nullopt;
    }
    where = "value = ";
    append_literal(predicate.child(1), where);
    return std::nullopt;
  }
  if (predicate.is_sequence() && predicate.size() == 3 && predicate.child(0).is_named("mod") &&
      predicate.child(1).is_integer() && predicate.child(1).integer() != 0 && predicate.child(2).is_integer()) {
    where = fmt::format("value % {} = {}", predicate.child(1).integer(), predicate.child(2).integer());
    return std::nullopt;
  }
  return EdnFault{fmt::format("expected a predicate :true, [:= v] or [:mod n r], found {}", shown_form(predicate)),
                  predicate.offset()};
}

std::optional<EdnFault> WorkloadMapper::add_bank(const JepsenOp& op, EdnRef value) {
  if (op.is("read")) {
    if (!value || value.is_nil()) return std::nullopt;
    if (value.kind() != EdnKind::kMap) return expected_value(op, value, "a map of accounts and balances");
    collect_items(value);
    for (const Item& item : items_) {
      builder_.read(item.key, item.value);
      first_balance_.emplace(raw(item.key), item.value);
    }
    return std::nullopt;
  }
  if (!op.is("transfer")) return unexpected_function(op, "bank", ":read or :transfer");
  const bool is_map = value && value.kind() == EdnKind::kMap;
  const EdnRef from = is_map ? value.find("from") : EdnRef();
  const EdnRef to = is_map ? value.find("to") : EdnRef();
  const EdnRef amount = is_map ? value.find("amount") : EdnRef();
  if (!from || !to || !amount || !amount.is_integer() || amount.integer() == INT64_MIN) {
    return expected_value(op, value, "a transfer {:from a, :to b, :amount n}");
  }
  ValueInterner& values = builder_.values();
  const KeyId payer = names_.key(from);
  const KeyId payee = names_.key(to);
  builder_.increment(payer, values.integer(-amount.integer()));
  builder_.increment(payee, values.integer(amount.integer()));
  transferred_.insert(raw(payer));
  transferred_.insert(raw(payee));
  return std::nullopt;
}

void WorkloadMapper::finish(const BankStart* start) {
  for (const auto& [account, balance] : first_balance_) {
    if (!transferred_.contains(account)) builder_.set_initial(KeyId{account}, balance);
  }
  if (start == nullptr) return;
  for (std::uint32_t account = 0; account < start->first.size(); ++account) {
    if (start->first[account]) builder_.set_initial(KeyId{account}, builder_.values().integer(*start->first[account]));
  }
}

std::optional<EdnFault> WorkloadMapper::add_counter(const JepsenOp& op, EdnRef value) {
  if (!op.is("read") && !op.is("add")) return unexpected_function(op, "counter", ":read or :add");
  if (op.is("read") && (!value || value.is_nil())) return std::nullopt;
  if (!value || !value.is_integer()) return expected_value(op, value, "an integer");
  const ValueId id = builder_.values().integer(value.integer());
  if (op.is("read")) {
    builder_.read(names_.own_key("counter"), id);
  } else {
    builder_.increment(names_.own_key("counter"), id);
  }
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add_set(const JepsenOp& op, EdnRef value) {
  const ValueId present = builder_.values().boolean(true);
  if (op.is("add")) {
    if (!value) return expected_value(op, value, "an element");
    builder_.write(names_.key(value), present);
    return std::nullopt;
  }
  if (!op.is("read")) return unexpected_function(op, "set", ":read or :add");
  if (!value || value.is_nil()) return std::nullopt;
  if (!is_group(value)) return expected_value(op, value, "a vector or set of elements");
  items_.clear();
  for (const EdnRef child : value.children()) items_.push_back({names_.key(child), present});
  builder_.scan("TRUE", items_);
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add_register(Status status, const JepsenOp& op, EdnRef value,
                                                     bool value_is_known) {
  KeyId key{};
  if (workload_ == Workload::kKeyedRegister) {
    if (!value && op.is("read")) return std::nullopt;
    if (!value || !is_pair(value)) {
      if (value && value.is_nil() && op.is("read")) return std::nullopt;
      return expected_value(op, value, "a key and a value [k v]");
    }
    key = names_.key(value.child(0));
    value = value.child(1);
  } else {
    key = names_.own_key("register");
  }
  if (op.is("read")) {
    const bool is_known = value_is_known && (status == Status::kCommitted || !value.is_nil());
    if (is_known) builder_.read(key, names_.value(value));
    return std::nullopt;
  }
  if (op.is("write")) {
    if (!value) return expected_value(op, value, "a value");
    builder_.write(key, names_.value(value));
    return std::nullopt;
  }
  if (!op.is("cas")) return unexpected_function(op, "register", ":read, :write or :cas");
  if (!value || !is_pair(value)) return expected_value(op, value, "[old new]");
  // If an unanswered compare-and-set took effect, then it saw the old value. One that failed saw something, not known
  // what.
  if (status != Status::kAborted) builder_.read(key, names_.value(value.child(0)));
  builder_.write(key, names_.value(value.child(1)));
  return std::nullopt;
}

std::optional<EdnFault> WorkloadMapper::add_mutex(Status status, const JepsenOp& op) {
  const KeyId key = names_.own_key("mutex");
  ValueInterner& values = builder_.values();
  if (op.is("acquire")) {
    if (status != Status::kAborted) builder_.read(key, values.boolean(false));
    builder_.write(key, values.boolean(true));
    return std::nullopt;
  }
  if (!op.is("release")) return unexpected_function(op, "mutex", ":acquire or :release");
  builder_.write(key, values.boolean(false));
  return std::nullopt;
}

}  // namespace isolde
