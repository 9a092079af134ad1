// report/page/key_versions.h: the versions of some keys in their order, as far as the history tells it.
//
// Always: the strongest evidence that a key has is taken: an order that the history gives, the longest list that was
//         read of it, the commit timestamps of its writers. None: it has no versions here.
// Cost:   one pass over the history.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "history/history.h"

namespace isolde {

struct KeyVersion {
  ValueId value;
  TxnId by;  // kNoTxn: nobody that is known
};

struct VersionsOfKey {
  std::string_view by;  // what the order comes from, in words
  std::vector<KeyVersion> versions;
};

// One for each of `keys`, at its place. Requires: no key stands there twice.
[[nodiscard]] std::vector<VersionsOfKey> versions_of(const History& history, std::span<const KeyId> keys);

}  // namespace isolde
