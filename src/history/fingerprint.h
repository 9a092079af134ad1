// history/fingerprint.h: keys and values of a stream as 64-bit fingerprints, which are the same in every chunk and
// every run.
//
// A history gives ids to its content. A stream never ends, so no table could keep all of its names. A fingerprint is
// computed from the content alone.
// Always:  null and the empty list are kNullFingerprint (one state of a list key). An integer of at most 61 bits is
//          its own fingerprint and can be read back. The fingerprint of a list is computed by appending its elements
//          one by one, so an engine knows the fingerprint of a list that it never saw as a whole. Anything else is 62
//          bits of a hash of its content. Equal values have equal fingerprints. Two different values have the same
//          fingerprint with probability 2^-62; engines then take them for one value, written twice.
// Cost:    one or two multiplications; for a string or row, a hash of its bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/hash.h"
#include "history/value.h"

namespace isolde {

enum class Fingerprint : std::uint64_t {};
constexpr std::uint64_t raw64(Fingerprint p) { return static_cast<std::uint64_t>(p); }

inline constexpr Fingerprint kNullFingerprint{0};

// The low two bits: 0 null, 1 an integer, 2 a hash, 3 a list.
constexpr bool is_integer(Fingerprint p) { return (raw64(p) & 3) == 1; }
constexpr std::int64_t integer_of(Fingerprint p) {
  return static_cast<std::int64_t>(raw64(p)) >> 2;
}  // Requires: is_integer

// Nothing for integers of 62 bits or more: their fingerprint is a hash.
constexpr std::optional<Fingerprint> exact_fingerprint(std::int64_t value) {
  if (value < -(std::int64_t{1} << 61) || value >= (std::int64_t{1} << 61)) return std::nullopt;
  return Fingerprint{(static_cast<std::uint64_t>(value) << 2) | 1};
}

// … which is this one.
[[nodiscard]] Fingerprint hashed_integer_fingerprint(std::int64_t value);

// The fingerprint of a list with one more element.
constexpr Fingerprint appended(Fingerprint list, Fingerprint element) {
  return Fingerprint{(mix64(raw64(list) * 0x9e3779b97f4a7c15ULL + raw64(element) + 1) << 2) | 3};
}

// Cost: a table value is hashed; nested ones too.
[[nodiscard]] Fingerprint fingerprint_of(const ValueTable& values, ValueId value);

}  // namespace isolde
