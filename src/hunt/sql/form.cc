#include "hunt/sql/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "hunt/case/dialects.h"

namespace isolde::hunt::sql {
namespace {

struct FormRow {
  Form form;
  Type type;
  std::string_view into, out;  // calls of db/grammar.h
  std::string_view db::ColumnTypes::* column;
};
constexpr FormRow kForms[] = {
    {Form::kFloat, Type::kInteger, "float_in", "float_out", &db::ColumnTypes::real},
    {Form::kJson, Type::kText, "json_in", "json_out", &db::ColumnTypes::json},
    {Form::kMoment, Type::kDate, "moment_in", "moment_out", &db::ColumnTypes::moment},
};

const FormRow* row_of(Form form) {
  const auto* const row =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const FormRow& one) { return one.form == form; });
  return row == std::end(kForms) ? nullptr : row;
}

}  // namespace

Form form_for(Type type) {
  const auto* const row =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const FormRow& one) { return one.type == type; });
  return row == std::end(kForms) ? Form::kPlain : row->form;
}

std::string_view column_type(Form form, std::string_view dialect) {
  const FormRow* const row = row_of(form);
  return row == nullptr ? std::string_view() : grammar_of(dialect).types.*row->column;
}

NodePtr read_out(Form form, Type type, const std::string& alias, const std::string& column) {
  const FormRow* const row = row_of(form);
  if (row == nullptr) return make(Kind::kColumn, type, column, {}, alias);
  // The column itself has none of the types: no step of reduction puts it where a value of its type stands.
  return make(Kind::kCall, type, std::string(row->out), {make(Kind::kColumn, Type::kNone, column, {}, alias)});
}

NodePtr put_into(Form form, NodePtr value) {
  const FormRow* const row = row_of(form);
  if (row == nullptr) return value;
  return make(Kind::kCall, Type::kNone, std::string(row->into), {std::move(value)});
}

std::string literal_in(Form form, const std::string& text) {
  const std::size_t quote = text.find('\'');
  const std::size_t end = text.rfind('\'');
  const bool quoted = quote != std::string::npos && end > quote;
  if (form == Form::kJson && quoted) return fmt::format("'{{\"v\": \"{}\"}}'", text.substr(quote + 1, end - quote - 1));
  if (form == Form::kMoment && quoted) return fmt::format("'{} 13:30:00'", text.substr(quote + 1, end - quote - 1));
  return text;
}

bool makes_form(std::string_view call) {
  return std::any_of(std::begin(kForms), std::end(kForms), [&](const FormRow& row) { return row.into == call; });
}

}  // namespace isolde::hunt::sql
