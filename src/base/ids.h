// base/ids.h: the 32-bit ids of the model, each with its own type.
//
// Always: an id is an index into the columns of one History; ids of two histories never mix.
// Cost:   free; `raw()` is a cast.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace isolde {

enum class TxnId : std::uint32_t {};
enum class OpId : std::uint32_t {};
enum class KeyId : std::uint32_t {};
enum class SessionId : std::uint32_t {};
enum class PredicateId : std::uint32_t {};

// A value of the history. Below 2^31 it is that integer itself; kNullValue is absence; anything else is an entry of
// the ValueTable (history/value.h). Equal values always have equal ids.
enum class ValueId : std::uint32_t {};

template <typename Id>
  requires std::is_enum_v<Id>
constexpr std::uint32_t raw(Id id) {
  return static_cast<std::uint32_t>(id);
}

inline constexpr std::uint32_t kNone32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr TxnId kNoTxn{kNone32};
inline constexpr OpId kNoOp{kNone32};
inline constexpr KeyId kNoKey{kNone32};

// A clock reading or timestamp that is not known.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

}  // namespace isolde
