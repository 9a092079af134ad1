#include "audit/story/stakes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "audit/schema/types.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::array kDear = {
    "quantity", "qty",       "amount",   "balance",  "price",   "cost",    "stock",   "inventory", "voucher",
    "coupon",   "gift",      "credit",   "debit",    "paid",    "usage",   "used",    "uses",      "count",
    "total",    "sum",       "limit",    "remain",   "availab", "capacit", "seat",    "reserv",    "alloc",
    "points",   "bonus",     "discount", "money",    "fee",     "payment", "booking", "sold",      "held",
    "num_",     "number_of", "next_",    "counter",  "ytd",     "weight",  "score",   "votes",     "quota",
    "salary",   "account",   "redeem",   "redempti", "on_call", "adjust",  "offer",   "promo",
};
constexpr std::array kCheap = {
    "session",   "cache", "transient", "token",  "viewed",    "views",      "last_",     "_at",     "login",
    "log_",      "_log",  "ip_",       "_ip",    "useragent", "user_agent", "timestamp", "updated", "modified",
    "heartbeat", "hash",  "created",   "expire", "audit",     "history",    "comment",   "_meta",   "_lock",
};

template <std::size_t kSize>
bool has_any_word(std::string_view name, const std::array<const char*, kSize>& words) {
  return std::ranges::any_of(words, [&](const char* word) { return name.find(word) != std::string_view::npos; });
}

bool is_time(const Column& column) {
  const std::string type = lower_case(column.type);
  return type.find("time") != std::string::npos || type.find("date") != std::string::npos;
}

bool names_an_id(std::string_view name) {
  return name == "id" || name.ends_with("_id") || name.ends_with("id") || name.ends_with("uuid");
}

}  // namespace

double Stakes::of_name(std::string_view text) {
  const std::string name = lower_case(text);
  if (has_any_word(name, kDear)) return has_any_word(name, kCheap) ? 0.4 : 1;
  return has_any_word(name, kCheap) ? -1 : names_an_id(name) ? 0.2 : 0.3;
}

Stakes::Stakes(const Schema& schema) {
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    const std::string table = lower_case(schema.table(TableId(i)).name);
    of_table.push_back(has_any_word(table, kDear) ? 0.8 : has_any_word(table, kCheap) ? -0.5 : 0.3);
  }
  std::vector<double>& out = of_column;
  for (std::uint32_t i = 0; i < schema.columns(); ++i) {
    const Column& column = schema.column(ColumnId(i));
    const std::string name = lower_case(column.name), table = lower_case(schema.table(column.table).name);
    const bool dear = has_any_word(name, kDear) || type_of(column.type).kind == TypeKind::kDecimal;
    if (is_time(column) || (has_any_word(name, kCheap) && !dear)) {
      out.push_back(-1);
    } else if (dear) {
      out.push_back(has_any_word(table, kCheap) && !has_any_word(table, kDear) ? 0.4 : 1);
    } else if (names_an_id(name)) {
      out.push_back(0.2);
    } else {
      out.push_back(has_any_word(table, kDear) ? 0.6 : has_any_word(table, kCheap) ? -0.5 : 0.3);
    }
  }
}

}  // namespace isolde::audit
