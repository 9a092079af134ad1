// check/choose/engines.h: the table of engines.
#pragma once

#include <span>
#include <string_view>

#include "check/engine.h"

namespace isolde {

// Every engine, cheapest first.
[[nodiscard]] std::span<const Engine> engines();
// Null: there is none of that name.
[[nodiscard]] const Engine* engine_named(std::string_view name);

}  // namespace isolde
