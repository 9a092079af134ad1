// record/pgoutput.h: the messages of PostgreSQL's logical replication plugin pgoutput, protocol version 1.
//
// In, out: the bytes of one message -> what it says, or an error that names the place; the texts point into the bytes.
// Always:  any bytes are survived: no count is believed before as many bytes are there.
// Cost:    linear.  Source: the PostgreSQL manual, section "Logical Replication Message Formats".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::record::pgoutput {

struct Column {
  std::string_view name;
  std::uint32_t type;  // its oid
  bool in_key;         // part of the replica identity
};
struct Relation {
  std::uint32_t id = 0;
  std::string_view schema, name;
  std::vector<Column> columns;
};

enum class FieldKind : std::uint8_t {
  kNull,
  kUnchanged,  // a long value that is stored apart and was not touched: the log does not repeat it
  kText,
};
struct Field {
  FieldKind kind;
  std::string_view text;
};
using Row = std::vector<Field>;

struct Change {
  std::uint32_t relation = 0;
  std::optional<Row> before;  // of an update: only if its key changed (or everything is logged); of a delete always
  std::optional<Row> after;   // none: deleted
};

struct Message {
  enum class Kind : std::uint8_t {
    kBegin,     // xid
    kCommit,    //
    kRelation,  // relation
    kChange,    // change
    kTruncate,  // truncated
    kOther,     // a type, an origin, a message: nothing that changes a row
  };
  Kind kind = Kind::kOther;
  std::uint32_t xid = 0;
  Relation relation;
  Change change;
  std::vector<std::uint32_t> truncated;
};

[[nodiscard]] Result<Message> decode(std::string_view bytes);

}  // namespace isolde::record::pgoutput
