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

// Lists nest as deep as the model allows and no deeper; what is below becomes too_deep.
isolde::ValueId value_id(isolde::ValueInterner& values, const Value& value, int depth, bool& too_deep) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return values.boolean(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return values.integer(*number);
  if (const auto* real = std::get_if<double>(&value.data)) return values.real(*real);
  if (const auto* text = std::get_if<std::string>(&value.data)) return values.string(*text);
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) return isolde::kNullValue;
  if (depth >= isolde::kMaxValueDepth) {
    too_deep = true;
    return isolde::kNullValue;
  }
  std::vector<isolde::ValueId> elements;
  elements.reserve(list->size());
  for (const Value& element : *list) elements.push_back(value_id(values, element, depth + 1, too_deep));
  return values.list(elements);
}

}  // namespace

std::uint64_t History::transactions() const { return content_->history.txn_count(); }
std::uint64_t History::operations() const { return content_->history.op_count(); }

LoadedHistory load(const std::string& path, const std::string& format) {
  const isolde::FormatInfo* named = nullptr;
  if (!format.empty()) {
    named = isolde::format_named(format);
    if (named == nullptr) return failed_load("unknown format \"" + format + "\"");
  }
  auto result = isolde::load(path, named, {});
  if (!result) return failed_load(result.error().message());
  return loaded(std::move(result->history), result->format->name, std::move(result->notes));
}

struct HistoryBuilder::State {
  isolde::HistoryBuilder builder;
  bool too_deep = false;
};

HistoryBuilder::HistoryBuilder() : state_(std::make_unique<State>()) {}
HistoryBuilder::~HistoryBuilder() = default;
HistoryBuilder::HistoryBuilder(HistoryBuilder&&) noexcept = default;
HistoryBuilder& HistoryBuilder::operator=(HistoryBuilder&&) noexcept = default;

HistoryBuilder& HistoryBuilder::add(const Transaction& t) {
  isolde::HistoryBuilder& b = state_->builder;
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
  for (const Operation& op : t.operations) {
    const isolde::KeyId key = b.key(name_id(values, op.key));
    const isolde::ValueId value = value_id(values, op.value, 0, state_->too_deep);
    switch (op.kind) {
      case Operation::Kind::read:
        b.read(key, value);
        break;
      case Operation::Kind::write:
        b.write(key, value);
        break;
      case Operation::Kind::append:
        b.append(key, value);
        break;
    }
  }
  b.end_txn();
  return *this;
}

HistoryBuilder& HistoryBuilder::initial(const Value& value) {
  state_->builder.set_default_initial(value_id(state_->builder.values(), value, 0, state_->too_deep));
  return *this;
}

HistoryBuilder& HistoryBuilder::version_order(const Name& key, const std::vector<Value>& versions, bool complete) {
  isolde::HistoryBuilder& b = state_->builder;
  std::vector<isolde::ValueId> ids;
  ids.reserve(versions.size());
  for (const Value& value : versions) ids.push_back(value_id(b.values(), value, 0, state_->too_deep));
  b.version_order(b.key(name_id(b.values(), key)), ids, complete);
  return *this;
}

LoadedHistory HistoryBuilder::finish() {
  const std::unique_ptr<State> state = std::exchange(state_, std::make_unique<State>());
  if (state->too_deep)
    return failed_load("a value is nested more than " + std::to_string(isolde::kMaxValueDepth) + " levels deep");
  auto result = state->builder.finish();
  if (!result) return failed_load(result.error().message());
  return loaded(*std::move(result), "built", {});
}

}  // namespace isolde::api
