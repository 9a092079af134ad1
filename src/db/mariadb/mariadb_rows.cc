#include "db/mariadb/mariadb_rows.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

namespace isolde::db {

// As what a column of the server is read.
enum class ColumnKind : std::uint8_t { kInteger, kFloat, kDouble, kDecimal, kBits, kText };

namespace {

ColumnKind column_kind(const MYSQL_FIELD& field) {
  switch (field.type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return ColumnKind::kInteger;
    case MYSQL_TYPE_FLOAT:
      return ColumnKind::kFloat;
    case MYSQL_TYPE_DOUBLE:
      return ColumnKind::kDouble;
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return ColumnKind::kDecimal;
    case MYSQL_TYPE_BIT:
      return ColumnKind::kBits;
    default:
      return ColumnKind::kText;
  }
}

template <typename T>
bool parsed(std::string_view text, T& value) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size();
}

Cell whole_or_text(std::string_view text) {
  std::int64_t value = 0;
  if (parsed(text, value)) return value;
  return std::string(text);
}

Cell bits(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

Cell cell_of_bytes(ColumnKind kind, std::string_view bytes) {
  if (kind == ColumnKind::kDecimal || kind == ColumnKind::kInteger) return whole_or_text(bytes);
  if (kind == ColumnKind::kBits) return bits(bytes);
  double value = 0;
  if (kind != ColumnKind::kText && parsed(bytes, value)) return value;
  return std::string(bytes);
}

}  // namespace

Cell cell_of_text(const MYSQL_FIELD& field, std::string_view text) { return cell_of_bytes(column_kind(field), text); }

// Where the columns of a row are put; kept between executions, since a statement's columns seldom change.
struct MariadbStatement::Columns {
  struct Column {
    ColumnKind kind = ColumnKind::kText;
    bool is_unsigned = false;
    std::int64_t integer = 0;
    double real = 0;
    float small_real = 0;
    std::array<char, 64> bytes = {};
    unsigned long length = 0;
    my_bool is_null = 0, cut = 0;
  };
  std::vector<Column> columns;
  std::vector<MYSQL_BIND> binds;
  std::vector<MYSQL_BIND> parameters;

  void bind(const MYSQL_FIELD* fields, std::size_t count) {
    columns.assign(count, {});
    binds.assign(count, {});
    for (std::size_t i = 0; i < count; ++i) {
      Column& column = columns[i];
      MYSQL_BIND& to = binds[i];
      column.kind = column_kind(fields[i]);
      column.is_unsigned = (fields[i].flags & UNSIGNED_FLAG) != 0;
      to.length = &column.length;
      to.is_null = &column.is_null;
      to.error = &column.cut;
      if (column.kind == ColumnKind::kInteger) {
        to.buffer_type = MYSQL_TYPE_LONGLONG;
        to.buffer = &column.integer;
        to.is_unsigned = column.is_unsigned ? 1 : 0;
      } else if (column.kind == ColumnKind::kFloat) {
        to.buffer_type = MYSQL_TYPE_FLOAT;
        to.buffer = &column.small_real;
      } else if (column.kind == ColumnKind::kDouble) {
        to.buffer_type = MYSQL_TYPE_DOUBLE;
        to.buffer = &column.real;
      } else {
        to.buffer_type = MYSQL_TYPE_STRING;
        to.buffer = column.bytes.data();
        to.buffer_length = column.bytes.size();
      }
    }
  }

  // As the text protocol has it: the shortest decimal that gives the float again, not the float's binary digits.
  static double as_written(float value) {
    double out = value;
    (void)parsed(fmt::format("{}", value), out);
    return out;
  }

  Cell cell(MYSQL_STMT* statement, std::size_t at) {
    Column& column = columns[at];
    if (column.is_null != 0) return {};
    if (column.kind == ColumnKind::kInteger) {
      if (column.is_unsigned && column.integer < 0)
        return fmt::format("{}", static_cast<std::uint64_t>(column.integer));
      return column.integer;
    }
    if (column.kind == ColumnKind::kFloat) return as_written(column.small_real);
    if (column.kind == ColumnKind::kDouble) return column.real;
    if (column.length <= column.bytes.size())
      return cell_of_bytes(column.kind, std::string_view(column.bytes.data(), column.length));
    std::string all(column.length, '\0');
    MYSQL_BIND whole = binds[at];
    whole.buffer = all.data();
    whole.buffer_length = column.length;
    if (mysql_stmt_fetch_column(statement, &whole, static_cast<unsigned>(at), 0) != 0) return {};
    return cell_of_bytes(column.kind, all);
  }
};

MariadbStatement::MariadbStatement(MYSQL* handle, std::string_view sql)
    : statement_(mysql_stmt_init(handle)), columns_(std::make_unique<Columns>()) {
  if (statement_ == nullptr) return;
  if (mysql_stmt_prepare(statement_, sql.data(), sql.size()) != 0) return;
  columns_->parameters.resize(parameters());
}

MariadbStatement::~MariadbStatement() {
  if (statement_ != nullptr) mysql_stmt_close(statement_);
}

std::size_t MariadbStatement::parameters() const { return mysql_stmt_param_count(statement_); }

bool MariadbStatement::failed() const { return statement_ == nullptr || mysql_stmt_errno(statement_) != 0; }

Failure MariadbStatement::failure() const {
  if (statement_ == nullptr) return {"2008", "out of memory"};
  return {std::to_string(mysql_stmt_errno(statement_)), mysql_stmt_error(statement_)};
}

bool MariadbStatement::execute(std::span<const Cell> cells, Reply& reply) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    MYSQL_BIND& to = columns_->parameters[i];
    to = {};
    if (const auto* integer = std::get_if<std::int64_t>(&cells[i])) {
      to.buffer_type = MYSQL_TYPE_LONGLONG;
      to.buffer = const_cast<std::int64_t*>(integer);  // the library's type has no const; it only reads
    } else if (const auto* real = std::get_if<double>(&cells[i])) {
      to.buffer_type = MYSQL_TYPE_DOUBLE;
      to.buffer = const_cast<double*>(real);
    } else if (const auto* text = std::get_if<std::string>(&cells[i])) {
      to.buffer_type = MYSQL_TYPE_STRING;
      to.buffer = const_cast<char*>(text->data());
      to.buffer_length = text->size();
    } else {
      to.buffer_type = MYSQL_TYPE_NULL;
    }
  }
  if (!cells.empty() && mysql_stmt_bind_param(statement_, columns_->parameters.data()) != 0) return false;
  if (mysql_stmt_execute(statement_) != 0) return false;
  if (mysql_stmt_field_count(statement_) == 0) {
    reply.changed = mysql_stmt_affected_rows(statement_);
    return true;
  }
  const bool whole = fetch(reply);
  if (!whole) return false;
  // CALL has further answers; they are read and dropped, or the next request would find them in its way.
  while (mysql_stmt_more_results(statement_)) {
    if (mysql_stmt_next_result(statement_) > 0) return false;
    mysql_stmt_free_result(statement_);
  }
  return true;
}

bool MariadbStatement::fetch(Reply& reply) {
  MYSQL_RES* const about = mysql_stmt_result_metadata(statement_);
  if (about == nullptr) return false;
  reply.width = mysql_num_fields(about);
  columns_->bind(mysql_fetch_fields(about), reply.width);
  mysql_free_result(about);
  if (mysql_stmt_bind_result(statement_, columns_->binds.data()) != 0) return false;
  // The whole answer is read before a row is looked at: an error may come after any of its rows.
  if (mysql_stmt_store_result(statement_) != 0) return false;
  int code = mysql_stmt_fetch(statement_);
  for (; code == 0 || code == MYSQL_DATA_TRUNCATED; code = mysql_stmt_fetch(statement_)) {
    for (std::size_t i = 0; i < reply.width; ++i) reply.cells.push_back(columns_->cell(statement_, i));
  }
  const bool whole = code == MYSQL_NO_DATA;
  mysql_stmt_free_result(statement_);
  return whole;
}

}  // namespace isolde::db
