#include "history/fingerprint.h"

#include <vector>

namespace isolde {
namespace {

constexpr std::uint64_t kSeed = 0x697361'6c6f6465ULL;

Fingerprint hashed(ValueType type, const void* data, std::size_t size) {
  return Fingerprint{(hash_bytes(data, size, kSeed + static_cast<std::uint64_t>(type)) << 2) | 2};
}

}  // namespace

Fingerprint hashed_integer_fingerprint(std::int64_t value) { return hashed(ValueType::kInteger, &value, sizeof value); }

// Recursive to the depth that values may nest (kMaxValueDepth).
// NOLINTNEXTLINE(misc-no-recursion)
Fingerprint fingerprint_of(const ValueTable& values, ValueId value) {
  switch (const ValueType type = values.type(value)) {
    case ValueType::kNull:
      return kNullFingerprint;
    case ValueType::kInteger: {
      const std::int64_t number = values.integer(value);
      if (const auto exact = exact_fingerprint(number)) return *exact;
      return hashed_integer_fingerprint(number);
    }
    case ValueType::kString:
    case ValueType::kNumberText: {
      const std::string_view text = values.string(value);
      return hashed(type, text.data(), text.size());
    }
    case ValueType::kBoolean: {
      const bool truth = values.boolean(value);
      return hashed(type, &truth, sizeof truth);
    }
    case ValueType::kReal: {
      const double number = values.real(value);
      return hashed(type, &number, sizeof number);
    }
    case ValueType::kList: {
      Fingerprint fingerprint = kNullFingerprint;
      for (const ValueId element : values.list(value))
        fingerprint = appended(fingerprint, fingerprint_of(values, element));
      return fingerprint;
    }
    case ValueType::kRow: {
      std::vector<Fingerprint> fields;
      for (const RowField& field : values.row(value)) {
        fields.push_back(fingerprint_of(values, field.name));
        fields.push_back(fingerprint_of(values, field.value));
      }
      return hashed(type, fields.data(), fields.size() * sizeof(Fingerprint));
    }
  }
  return kNullFingerprint;
}

}  // namespace isolde
