// proof/fault.h: what is wrong with a claim.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolde::proof {

using Fault = std::optional<std::string>;  // nothing, if the claim holds

[[nodiscard]] inline Fault holds(bool good, std::string_view otherwise) {
  return good ? Fault{} : Fault{std::string(otherwise)};
}

}  // namespace isolde::proof
