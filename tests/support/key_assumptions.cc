#include "tests/support/key_assumptions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "format/native.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace {

History parsed(const std::string& text) {
  Source source;
  source.path = "history";
  source.files.push_back({"history", text, nullptr});
  Result<ReadResult> read = kNativeFormat.read(source, {});
  if (!read) {
    ADD_FAILURE() << read.error().message() << "\n" << text;
    std::abort();
  }
  return std::move(read->history);
}

struct Touched {
  ValueId first, last;
};

std::map<KeyId, Touched> touched(const History& h, TxnId t) {
  std::map<KeyId, Touched> out;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const ValueId value = h.op_value(i);
    const auto [at, fresh] = out.try_emplace(h.op(i).key(), Touched{value, value});
    if (!fresh) at->second.last = value;
  }
  return out;
}

std::string order_line(const History& h, KeyId key, const std::vector<ValueId>& versions) {
  std::string values;
  for (const ValueId v : versions) values += (values.empty() ? "" : ",") + h.value_text(v);
  return fmt::format("{{\"version_order\":[[{},[{}]]],\"complete\":false}}\n",
                     h.values().type(h.columns().key_name[raw(key)]) == ValueType::kInteger
                         ? h.key_text(key)
                         : "\"" + h.key_text(key) + "\"",
                     values);
}

}  // namespace

bool in_session_order(const History& h, TxnId a, TxnId b) { return a < b && h.session(a) == h.session(b); }

bool in_real_time(const History& h, TxnId a, TxnId b) {
  return h.end(a) != kNoTime && h.begin(b) != kNoTime && h.end(a) < h.begin(b);
}

History with_versions_ordered(const History& h, const Before& before) {
  std::string text = native_text(h);
  for (std::uint32_t a = 0; a < h.txn_count(); ++a) {
    for (std::uint32_t b = 0; b < h.txn_count(); ++b) {
      if (a == b || h.status(TxnId{a}) != Status::kCommitted || h.status(TxnId{b}) != Status::kCommitted) continue;
      if (!before(h, TxnId{a}, TxnId{b})) continue;
      const auto theirs = touched(h, TxnId{b});
      for (const auto& [key, mine] : touched(h, TxnId{a})) {
        const auto at = theirs.find(key);
        if (at == theirs.end() || at->second.first == mine.last) continue;
        if (mine.last == kNullValue || at->second.first == kNullValue) continue;  // nothing was written
        text += order_line(h, key, {mine.last, at->second.first});
      }
    }
  }
  return parsed(text);
}

History with_versions_by_place(const History& h, const std::vector<int>& place) {
  std::string text = native_text(h);
  std::map<KeyId, std::vector<std::pair<int, ValueId>>> versions;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    std::map<KeyId, ValueId> left;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() == OpKind::kWrite) left[h.op(i).key()] = h.op_value(i);
    }
    for (const auto& [key, value] : left) versions[key].emplace_back(place[t], value);
  }
  for (auto& [key, all] : versions) {
    std::sort(all.begin(), all.end());
    std::vector<ValueId> order;
    for (const auto& [at, value] : all) order.push_back(value);
    text += order_line(h, key, order);
  }
  return parsed(text);
}

}  // namespace isolde
