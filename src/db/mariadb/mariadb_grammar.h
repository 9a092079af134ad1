// db/mariadb/mariadb_grammar.h: the SQL that hunts write for MariaDB, MySQL and TiDB, in MariaDB's collation.
#pragma once

#include "db/grammar.h"

namespace isolde::db {

// Divisors have been made NULL where they are zero; see hunt/sql/print_expression.cc.
inline constexpr Spelling kMysqlSpellings[] = {
    {.name = "*", .type = ValueType::kDecimal, .text = "<0> * <1>"},
    {.name = "/", .type = ValueType::kDecimal, .text = "round(<0> / <1>, 2)"},
    {.name = "/", .type = ValueType::kInteger, .text = "<0> div <1>"},
    {.name = "||", .text = "concat({0}, {1})"},
    {.name = "matches", .text = "<0> regexp <1>"},
    {.name = "is distinct from", .text = "not (<0> <=> <1>)"},
    {.name = "is not distinct from", .text = "<0> <=> <1>"},
    {.name = "abs", .text = "abs({0})"},
    {.name = "length", .text = "char_length({0})", .narrow = true},
    {.name = "lower", .text = "lower({0})"},
    {.name = "upper", .text = "upper({0})"},
    {.name = "trim", .text = "trim({0})"},
    {.name = "substr", .text = "substr({0}, {1}, {2})"},
    {.name = "replace", .text = "replace({0}, {1}, {2})"},
    {.name = "instr", .text = "instr({0}, {1})", .narrow = true},
    {.name = "round", .text = "round(round({0}), 2)"},
    {.name = "add_days", .text = "<0> + interval <1> day"},
    {.name = "add_hours", .text = "cast({0} + interval <1> hour as date)"},
    {.name = "seconds", .text = "timestampdiff(second, '2000-01-01', {0})"},
    {.name = "half", .text = "cast(floor(cast({0} as double) / 2) as signed)"},
    {.name = "json_text",
     .text = "(json_unquote(json_extract(json_object('k', {0}), '$.k')) collate utf8mb4_nopad_bin)"},
    {.name = "float_in", .text = "cast({0} as double)"},
    {.name = "float_out", .text = "cast({0} as signed)"},
    {.name = "json_in", .text = "json_object('v', {0})"},
    {.name = "json_out", .text = "(json_unquote(json_extract({0}, '$.v')) collate utf8mb4_nopad_bin)"},
    {.name = "moment_in", .text = "cast({0} as datetime) + interval 810 minute"},
    {.name = "moment_out", .text = "cast({0} as date)"},
    {.name = "days_between", .text = "datediff({0}, {1})", .narrow = true},
    {.name = "year", .text = "year({0})", .narrow = true},
    {.name = "month", .text = "month({0})", .narrow = true},
    {.name = "day", .text = "day({0})", .narrow = true},
    {.name = "cast", .type = ValueType::kInteger, .text = "cast({0} as decimal(20, 2))", .to = ValueType::kDecimal},
    {.name = "cast", .type = ValueType::kInteger, .text = "cast({0} as char)", .to = ValueType::kText},
    {.name = "cast", .type = ValueType::kInteger, .text = "<0> <> 0", .to = ValueType::kBoolean},
    {.name = "cast", .type = ValueType::kDecimal, .text = "cast({0} as signed)", .to = ValueType::kInteger},
    {.name = "cast", .type = ValueType::kDecimal, .text = "cast({0} as char)", .to = ValueType::kText},
    {.name = "cast",
     .type = ValueType::kBoolean,
     .text = "cast({0} as signed)",
     .narrow = true,
     .to = ValueType::kInteger},
    {.name = "cast", .type = ValueType::kBoolean, .text = "cast({0} as char)", .to = ValueType::kText},
    {.name = "cast", .type = ValueType::kDate, .text = "cast({0} as char)", .to = ValueType::kText},
};

inline constexpr Grammar kMysqlGrammar = {
    .family = Family::kMysql,
    .spellings = kMysqlSpellings,
    .types = {.integer = "bigint",
              .decimal = "decimal(14, 2)",
              .text = "varchar(100)",
              .boolean = "boolean",
              .date = "date",
              .real = "double",
              .json = "json",
              .moment = "datetime"},
    .table_options = " engine=InnoDB default charset=utf8mb4 collate=utf8mb4_nopad_bin",
    .subqueries_in_rows = false,
    .integer_sum = "signed",
    .locks = LockClause::kForUpdateOrShareMode,
    .second = SecondSource::kJoin,
    .upsert = UpsertClause::kOnDuplicateKey,
    .has_replace = true,
    .has_full_join = false,
    .partitions = Partitions::kClause,
    .triggers = Triggers::kSetsNew};

}  // namespace isolde::db
