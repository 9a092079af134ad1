// proxy/capture/tables.h: the tables of one database whose rows and their versions can be identified.
//
// In, out: a name as a statement writes it -> the table, with its primary key; or why its rows are not recorded.
// Always:  a table is recordable only if what the server returns of a statement is all that the statement did to it:
//          no triggers, rules, partitions, inheritance, cascades that change it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isolde::proxy::capture {

struct Table {
  std::string shown;  // in keys: "accounts"; with its schema where that is not public
  std::string schema, name;
  std::uint32_t oid = 0;
  std::uint32_t file = 0;        // pg_class.relfilenode: another one means that its rows were moved
  std::vector<std::string> key;  // columns of the primary key, in order
  std::string why_not;           // empty: it can be recorded

  friend bool operator==(const Table&, const Table&) = default;
};

struct Tables {
  std::map<std::pair<std::string, std::string>, Table, std::less<>> by_name;  // schema and name
  // A role or database has a search_path of its own: then only names with a schema are sure.
  bool own_paths = false;
  std::vector<std::string> schemas;

  friend bool operator==(const Tables&, const Tables&) = default;
  // `schema` empty: not written. `user`: of the client, whose own schema would come first. Null: not known.
  [[nodiscard]] const Table* find(std::string_view schema, std::string_view name, std::string_view user) const;
};

// As SQL writes it, in quotes.
[[nodiscard]] std::string quoted_name(std::string_view name);

}  // namespace isolde::proxy::capture
