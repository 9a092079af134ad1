#include "record/logged_versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/postgres/cells.h"

namespace isolde::record {
namespace {

// A name that was not quoted is kept in lower case, and may be written with its schema.
bool same_table(std::string_view written, std::string_view logged) {
  if (const std::size_t dot = written.rfind('.'); dot != std::string_view::npos) written.remove_prefix(dot + 1);
  return std::equal(written.begin(), written.end(), logged.begin(), logged.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

std::optional<std::size_t> column_place(const pgoutput::Relation& relation, std::string_view column) {
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    if (same_table(column, relation.columns[i].name)) return i;
  }
  return std::nullopt;
}

db::Cell cell_of_field(std::uint32_t type, const pgoutput::Field& field) {
  if (field.kind != pgoutput::FieldKind::kText) return {};
  return db::postgres_cell(type, field.text);
}

}  // namespace

Result<void> LoggedVersions::add(std::string_view bytes) {
  auto message = pgoutput::decode(bytes);
  if (!message) return std::move(message).error();
  switch (message->kind) {
    case pgoutput::Message::Kind::kChange:
      return see(message->change);
    case pgoutput::Message::Kind::kRelation:
      return see(message->relation);
    case pgoutput::Message::Kind::kTruncate:
      return see_truncated(message->truncated);
    case pgoutput::Message::Kind::kBegin:
      begin(message->xid);
      return {};
    case pgoutput::Message::Kind::kCommit:
      close();
      return {};
    case pgoutput::Message::Kind::kOther:
      return {};
  }
  return {};
}

void LoggedVersions::begin(std::uint32_t xid) {
  close();
  open_ = true;
  xid_ = (next_xid_ & ~std::int64_t{0xffffffff}) | xid;
  if (xid_ > next_xid_) xid_ -= std::int64_t{1} << 32;
}

void LoggedVersions::close() {
  open_ = false;
  of_key_.clear();
}

Result<void> LoggedVersions::see(const pgoutput::Relation& relation) {
  Layout layout;
  for (const TracedTable& table : tables_) {
    if (same_table(table.name, relation.name)) layout.table = &table;
  }
  if (layout.table != nullptr) {
    layout.width = relation.columns.size();
    for (const pgoutput::Column& column : relation.columns) layout.types.push_back(column.type);
    const auto find = [&](const std::vector<std::string>& names, std::vector<std::size_t>& places) -> Result<void> {
      for (const std::string& name : names) {
        const auto place = column_place(relation, name);
        if (!place) return Error{fmt::format("the log's table {} has no column {}", relation.name, name)};
        places.push_back(*place);
      }
      return {};
    };
    if (auto found = find(layout.table->key_columns, layout.keys); !found) return found;
    if (auto found = find(layout.table->value_columns, layout.values); !found) return found;
  }
  layouts_[relation.id] = std::move(layout);
  return {};
}

Result<std::string> LoggedVersions::key_of(const Layout& layout, const pgoutput::Row& row) {
  std::vector<db::Cell> cells;
  for (const std::size_t place : layout.keys) {
    if (row[place].kind != pgoutput::FieldKind::kText)
      return Error{fmt::format("the log has a row of {} without its key", layout.table->name)};
    cells.push_back(cell_of_field(layout.types[place], row[place]));
  }
  return key_text(*layout.table, cells);
}

Result<void> LoggedVersions::see(const pgoutput::Change& change) {
  const auto at = layouts_.find(change.relation);
  if (at == layouts_.end() || !open_)
    return Error{"the log has a row of a table that it did not describe, or outside of a transaction"};
  const Layout& layout = at->second;
  if (layout.table == nullptr) return {};
  for (const auto* row : {&change.before, &change.after}) {
    if (row->has_value() && (*row)->size() != layout.width)
      return Error{fmt::format("the log has a row of {} with {} columns where {} were announced", layout.table->name,
                               (*row)->size(), layout.width)};
  }
  std::string old_key;
  if (change.before) {
    auto key = key_of(layout, *change.before);
    if (!key) return std::move(key).error();
    old_key = *std::move(key);
  }
  if (!change.after) {
    last_.erase(old_key);
    version(std::move(old_key), "null");
    return {};
  }
  auto key = key_of(layout, *change.after);
  if (!key) return std::move(key).error();
  const bool moved = change.before && old_key != *key;
  const auto before = last_.find(moved ? old_key : *key);
  Cells cells;
  std::vector<db::Cell> known;
  for (std::size_t i = 0; i < layout.values.size(); ++i) {
    const pgoutput::Field& field = (*change.after)[layout.values[i]];
    if (field.kind == pgoutput::FieldKind::kUnchanged) {
      cells.push_back(before == last_.end() ? std::nullopt : before->second[i]);
    } else {
      cells.emplace_back(cell_of_field(layout.types[layout.values[i]], field));
    }
    if (cells.back()) known.push_back(*cells.back());
  }
  if (moved) {
    last_.erase(old_key);
    version(std::move(old_key), "null");
  }
  version(*key, known.size() == cells.size() ? value_text(*layout.table, known) : "");
  last_[*std::move(key)] = std::move(cells);
  return {};
}

Result<void> LoggedVersions::see_truncated(std::span<const std::uint32_t> relations) const {
  for (const std::uint32_t id : relations) {
    const auto at = layouts_.find(id);
    if (at != layouts_.end() && at->second.table != nullptr)
      return Error{fmt::format("table {} was truncated during the run: which rows it had is not in the log",
                               at->second.table->name)};
  }
  return {};
}

void LoggedVersions::version(std::string key, std::string value) {
  const auto [at, fresh] = of_key_.try_emplace(key, versions_.size());
  if (fresh) {
    versions_.push_back({std::move(key), std::move(value), xid_});
  } else {
    versions_[at->second].value = std::move(value);
  }
}

}  // namespace isolde::record
