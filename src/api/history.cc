// The public History and its builder, over history/ and format/.
#include "isolde/history.h"

#include "api/content.h"
#include "format/format.h"
#include "history/history_builder.h"

namespace isolde::api {
namespace {

LoadedHistory failed_load(std::string error) { return {std::nullopt, std::move(error), {}}; }

LoadedHistory loaded(isolde::History history, std::string_view format, std::vector<std::string> notes) {
  return {History(std::make_shared<const History::Content>(History::Content{std::move(history), format})),
          {},
          std::move(notes)};
}

isolde::ValueId name_id(isolde::ValueInterner& values, const Name& name) {
  if (const auto* number = std::get_if<std::int64_t>(&name)) return values.integer(*number);
  return values.string(std::get<std::string>(name));
}

// Lists and rows nest as deep as the model allows and no deeper; what is below becomes too_deep.
isolde::ValueId value_id(isolde::ValueInterner& values, const Value& value, int depth, bool& too_deep) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return values.boolean(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return values.integer(*number);
  if (const auto* real = std::get_if<double>(&value.data)) return values.real(*real);
  if (const auto* text = std::get_if<std::string>(&value.data)) return values.string(*text);
  const auto* list = std::get_if<Value::List>(&value.data);
  const auto* row = std::get_if<Value::Row>(&value.data);
  if (list == nullptr && row == nullptr) return isolde::kNullValue;
  if (depth >= isolde::kMaxValueDepth) {
    too_deep = true;
    return isolde::kNullValue;
  }
  if (row != nullptr) {
    std::vector<isolde::RowField> fields;
    fields.reserve(row->size());
    for (const auto& [name, column] : *row) {
      fields.push_back({values.string(name), value_id(values, column, depth + 1, too_deep)});
    }
    return values.row(fields);
  }
  std::vector<isolde::ValueId> elements;
  elements.reserve(list->size());
  for (const Value& element : *list) elements.push_back(value_id(values, element, depth + 1, too_deep));
  return values.list(elements);
}

LoadedHistory loaded_or_error(isolde::Result<isolde::Loaded> result) {
  if (!result) return failed_load(result.error().message());
  return loaded(std::move(result->history), result->format->name, std::move(result->notes));
}

}  // namespace

std::uint64_t History::transactions() const { return content_->history.txn_count(); }
std::uint64_t History::operations() const { return content_->history.op_count(); }

LoadedHistory load(const std::string& path, const std::string& format) {
  const isolde::FormatInfo* named = format.empty() ? nullptr : isolde::format_named(format);
  if (!format.empty() && named == nullptr) return failed_load("unknown format \"" + format + "\"");
  return loaded_or_error(isolde::load(path, named, {}));
}

LoadedHistory parse(std::string_view text, const std::string& format) {
  const isolde::FormatInfo* named = format.empty() ? nullptr : isolde::format_named(format);
  if (!format.empty() && named == nullptr) return failed_load("unknown format \"" + format + "\"");
  isolde::Source source{.path = "text", .is_folder = false, .files = {}};
  source.files.push_back({.name = source.path, .bytes = text, .mapped = nullptr});
  return loaded_or_error(isolde::load(source, named, {}));
}

struct HistoryBuilder::State {
  isolde::HistoryBuilder builder;
  bool too_deep = false;
  std::string fault;  // the first

  void add(const Transaction& transaction);
  void operation(const Operation& op);
  std::vector<isolde::Item> items(const std::vector<KeyedRow>& rows);
  isolde::ValueId value(const Value& given) { return value_id(builder.values(), given, 0, too_deep); }
  isolde::KeyId key(const Name& name) { return builder.key(name_id(builder.values(), name)); }
};

HistoryBuilder::HistoryBuilder() : state_(std::make_unique<State>()) {}
HistoryBuilder::~HistoryBuilder() = default;
HistoryBuilder::HistoryBuilder(HistoryBuilder&&) noexcept = default;
HistoryBuilder& HistoryBuilder::operator=(HistoryBuilder&&) noexcept = default;

std::vector<isolde::Item> HistoryBuilder::State::items(const std::vector<KeyedRow>& rows) {
  std::vector<isolde::Item> out;
  out.reserve(rows.size());
  for (const auto& [name, row] : rows) out.push_back({key(name), value(row)});
  return out;
}

void HistoryBuilder::State::operation(const Operation& op) {
  using Kind = Operation::Kind;
  const isolde::Lock lock = op.lock == Lock::update  ? isolde::Lock::kUpdate
                            : op.lock == Lock::share ? isolde::Lock::kShare
                                                     : isolde::Lock::kNone;
  const bool of_rows = op.kind == Kind::scan || op.kind == Kind::aggregate || op.kind == Kind::update;
  if (op.lock != Lock::none && op.kind != Kind::read && op.kind != Kind::scan && op.kind != Kind::aggregate) {
    if (fault.empty()) fault = "only a read can be locking";
  } else if (op.seen && !of_rows) {
    if (fault.empty()) fault = "only a scan, an aggregate or an update is evaluated on rows";
  } else if (op.before.has_value() != op.after.has_value()) {
    if (fault.empty()) fault = "an interval needs both its ends";
  }
  switch (op.kind) {
    case Kind::read:
      builder.read(key(op.key), value(op.value), lock);
      break;
    case Kind::write:
      builder.write(key(op.key), value(op.value));
      break;
    case Kind::append:
      builder.append(key(op.key), value(op.value));
      break;
    case Kind::increment:
      if (!std::holds_alternative<std::int64_t>(op.value.data) && fault.empty()) {
        fault = "an increment needs an integer";
      }
      builder.increment(key(op.key), value(op.value));
      break;
    case Kind::scan:
      builder.scan(op.where, items(op.rows), lock);
      break;
    case Kind::aggregate:
      builder.aggregate(op.expression, op.where, value(op.value), lock);
      break;
    case Kind::update:
      builder.update(op.where, items(op.rows));
      break;
  }
  if (op.seen && of_rows) builder.vset(items(*op.seen));
  if (op.before && op.after) builder.at(*op.before, *op.after);
}

void HistoryBuilder::State::add(const Transaction& t) {
  isolde::HistoryBuilder& b = builder;
  isolde::ValueInterner& values = b.values();
  b.begin_txn(b.session(name_id(values, t.session)));
  if (t.id) b.set_id(name_id(values, *t.id));
  b.set_status(t.status == Status::committed ? isolde::Status::kCommitted
               : t.status == Status::aborted ? isolde::Status::kAborted
                                             : isolde::Status::kUnknown);
  if (t.begin) b.set_begin(*t.begin);
  if (t.end) b.set_end(*t.end);
  if (t.commit_before) b.set_commit(*t.commit_before, t.commit_after.value_or(kNoTime));
  if (t.start_ts) b.set_start_ts(*t.start_ts);
  if (t.commit_ts) b.set_commit_ts(*t.commit_ts);
  if (t.order) b.set_order(*t.order);
  if (t.sno) b.set_sno(*t.sno);
  if (t.snapshot) b.set_snapshot(t.snapshot->xid, t.snapshot->xmin, t.snapshot->xmax, t.snapshot->active);
  for (const Operation& op : t.operations) operation(op);
  b.end_txn();
}

HistoryBuilder& HistoryBuilder::add(const Transaction& t) {
  const bool was_right = state_->fault.empty();
  const std::uint32_t place = state_->builder.txn_count();
  state_->add(t);
  if (was_right && !state_->fault.empty()) {
    const std::string name = !t.id ? std::to_string(place)
                             : std::holds_alternative<std::string>(*t.id)
                                 ? '"' + std::get<std::string>(*t.id) + '"'
                                 : std::to_string(std::get<std::int64_t>(*t.id));
    state_->fault = "transaction " + name + ": " + state_->fault;
  }
  return *this;
}

HistoryBuilder& HistoryBuilder::initial(const Value& value) {
  state_->builder.set_default_initial(state_->value(value));
  return *this;
}

HistoryBuilder& HistoryBuilder::version_order(const Name& key, const std::vector<Value>& versions, bool complete) {
  std::vector<isolde::ValueId> ids;
  ids.reserve(versions.size());
  for (const Value& value : versions) ids.push_back(state_->value(value));
  state_->builder.version_order(state_->key(key), ids, complete);
  return *this;
}

LoadedHistory HistoryBuilder::finish() {
  const std::unique_ptr<State> state = std::exchange(state_, std::make_unique<State>());
  if (state->too_deep)
    return failed_load("a value is nested more than " + std::to_string(isolde::kMaxValueDepth) + " levels deep");
  if (!state->fault.empty()) return failed_load(state->fault);
  auto result = state->builder.finish();
  if (!result) return failed_load(result.error().message());
  return loaded(*std::move(result), "built", {});
}

}  // namespace isolde::api
