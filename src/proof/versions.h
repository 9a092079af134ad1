// proof/versions.h: what each transaction that may have committed left of a key, for the keys that are asked about.
//
// In, out: a History and keys -> versions, in the order of transactions; the version that a transaction itself made
//          before one of its operations.
// Always:  a list in the making is kNoPlainValue; what was incremented is kUnknownValue.
// Cost:    one pass over the history.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "proof/matches.h"
#include "proof/operations.h"

namespace isolde::proof {

[[nodiscard]] inline ValueId left_by(const Touch& write) {
  if (write.kind == OpKind::kWrite) return write.value;
  return write.kind == OpKind::kAppend ? kNoPlainValue : kUnknownValue;
}

struct Version {
  TxnId txn;  // committed, or of unknown outcome
  ValueId value;
};

class Versions {
 public:
  Versions(const History& history, const std::vector<bool>& keys) {
    for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
      if (history.status(TxnId{t}) == Status::kAborted) continue;
      for (const Touch& touch : touches(history, TxnId{t})) {
        if (touch.kind == OpKind::kRead || !keys[raw(touch.key)]) continue;
        std::vector<Version>& all = by_key_[raw(touch.key)];
        if (all.empty() || all.back().txn != TxnId{t}) all.push_back({TxnId{t}, kNullValue});
        all.back().value = left_by(touch);
      }
    }
  }

  [[nodiscard]] const std::vector<Version>& of(KeyId key) const {
    static const std::vector<Version> kNone;
    const auto at = by_key_.find(raw(key));
    return at == by_key_.end() ? kNone : at->second;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<Version>> by_key_;
};

// What the transaction itself made of the key before the operation; nothing if it had not written it.
[[nodiscard]] inline std::optional<ValueId> own_version(const History& history, TxnId txn, KeyId key, OpId before) {
  std::optional<ValueId> own;
  for (const Touch& touch : touches(history, txn)) {
    if (touch.op >= before) break;
    if (touch.key != key || touch.kind == OpKind::kRead) continue;
    own = left_by(touch);
  }
  return own;
}

}  // namespace isolde::proof
