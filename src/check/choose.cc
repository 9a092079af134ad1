#include "check/choose.h"

#include <fmt/format.h>

namespace isolde {
namespace {

// Timestamps are a promise of their own, stronger than the bare level: the serializable family takes them as the
// serialization order only where somebody says that they are.
bool timestamps_apply(const History& h, Level level, const ChooseOptions& options) {
  if (info(level).family == LevelFamily::kSnapshot) return true;
  return options.order_by_commit || h.has_flag(kSerialByCommitTs);
}

std::string why(std::string_view engine) {
  if (engine == "replay") return "the history has an expected order";
  if (engine == "timeline") return "the history has database timestamps";
  if (engine == "graph") return "what was read, and the version orders given, tell who comes before whom";
  return "no other evidence that can be used";
}

}  // namespace

Choice choose(const History& history, Level level, const ChooseOptions& options) {
  if (!options.method.empty()) {
    const Engine* const engine = engine_named(options.method);
    if (engine == nullptr) return {nullptr, fmt::format("there is no method {}", options.method)};
    if (std::string lack = engine->lacks(history, level); !lack.empty()) {
      return {nullptr, fmt::format("method {} cannot judge {} here: {}", options.method, info(level).name, lack)};
    }
    return {engine, "as asked"};
  }
  for (const Engine& engine : engines()) {
    if (engine.name == "timeline" && !timestamps_apply(history, level, options)) continue;
    if (!engine.lacks(history, level).empty()) continue;
    return {&engine, why(engine.name)};
  }
  return {nullptr, "no engine can judge this history"};
}

}  // namespace isolde
