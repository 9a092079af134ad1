#include "db/postgres/facts.h"

#include <fmt/format.h>

#include <charconv>

namespace isolde::db {
namespace {

// Reads a number off the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

Result<void> read_xid(const Cell& cell, TxnFacts& facts) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return {};  // NULL: it wrote nothing
  std::string_view rest = *text;
  const auto xid = take_number(rest);
  if (!xid || !rest.empty()) return Error{fmt::format("expected a transaction id of PostgreSQL, not \"{}\"", *text)};
  facts.xid = xid;
  return {};
}

}  // namespace

std::optional<TxnFacts::Seen> parse_snapshot(std::string_view text) {
  TxnFacts::Seen seen;
  const auto xmin = take_number(text);
  if (!xmin || !take(text, ':')) return std::nullopt;
  const auto xmax = take_number(text);
  if (!xmax || !take(text, ':')) return std::nullopt;
  seen.xmin = *xmin;
  seen.xmax = *xmax;
  while (!text.empty()) {
    if (!seen.active.empty() && !take(text, ',')) return std::nullopt;
    const auto xid = take_number(text);
    if (!xid) return std::nullopt;
    seen.active.push_back(*xid);
  }
  return seen;
}

FactsQuestion postgres_facts(bool one_snapshot) {
  if (!one_snapshot) {
    return {"select pg_current_xact_id_if_assigned()::text",
            [](std::span<const Cell> row, TxnFacts& facts) { return read_xid(row[0], facts); }};
  }
  return {"select pg_current_xact_id_if_assigned()::text, pg_current_snapshot()::text",
          [](std::span<const Cell> row, TxnFacts& facts) -> Result<void> {
            const auto* text = std::get_if<std::string>(&row[1]);
            facts.snapshot = text == nullptr ? std::nullopt : parse_snapshot(*text);
            if (!facts.snapshot) {
              return Error{fmt::format("expected a snapshot of PostgreSQL (xmin:xmax:xid,…), not \"{}\"",
                                       text == nullptr ? "" : *text)};
            }
            return read_xid(row[0], facts);
          }};
}

}  // namespace isolde::db
