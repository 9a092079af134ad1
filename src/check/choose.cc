#include "check/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/exhaustive/exhaustive.h"
#include "check/sums/sums.h"

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
  if (engine == "weak") return "reads and sessions decide this level";
  if (engine == "graph") return "reads and the given version orders show which transaction comes before which";
  if (engine == "solver") return "the order of some versions is not known and is searched for";
  return "there is no other usable evidence";
}

// Why an engine that could judge this is not the one to take; empty if it is. What needs the solver is asked last: it
// looks at every operation.
std::string passed_over(const Engine& engine, const History& h, Level level, const ChooseOptions& options) {
  if (engine.name == "mirror")
    return "it finds violations of a database's profile but certifies no level; used only on request";
  if (engine.name == kExhaustiveEngine.name) return "used when another method leaves a small history undecided";
  if (engine.name == kSumsEngine.name) return "used when another method leaves sums undecided";
  if (engine.name == "timeline" && !timestamps_apply(h, level, options))
    return "nothing says that commit timestamps are the serialization order (--order commit_ts)";
  if (engine.name != "graph" || !asks_for_one_order(level)) return {};
  // What predicates found tells of order too, which only this engine uses; the solver is asked if that is not enough.
  if (!h.columns().predicates.empty()) return {};
  const Engine* const solver = engine_named("solver");
  if (solver == nullptr || !solver->lacks(h, level).empty() || version_orders_are_told(h)) return {};
  return "for some key, the order of versions is neither given nor shown by lists";
}

Choice forced(const History& h, Level level, std::string_view method) {
  const Engine* const engine = engine_named(method);
  if (engine == nullptr) return {nullptr, fmt::format("there is no method {}", method)};
  if (std::string lack = engine->lacks(h, level); !lack.empty()) {
    return {nullptr, fmt::format("method {} cannot judge {} here: {}", method, info(level).name, lack)};
  }
  return {engine, "as requested"};
}

}  // namespace

Choice choose(const History& history, Level level, const ChooseOptions& options) {
  if (!options.method.empty()) return forced(history, level, options.method);
  for (const Engine& engine : engines()) {
    if (!engine.lacks(history, level).empty()) continue;
    if (passed_over(engine, history, level, options).empty()) return {&engine, why(engine.name)};
  }
  return {nullptr, "no engine can judge this history"};
}

std::vector<MethodCase> explain_choice(const History& history, Level level, const ChooseOptions& options) {
  using Fate = MethodCase::Fate;
  const Choice choice = choose(history, level, options);
  std::vector<MethodCase> cases;
  for (const Engine& engine : engines()) {
    MethodCase& out = cases.emplace_back(MethodCase{.name = engine.name, .fate = Fate::kCould, .why = {}});
    if (&engine == choice.engine) {
      out.fate = Fate::kTaken;
      out.why = choice.why;
    } else if (std::string lack = engine.lacks(history, level); !lack.empty()) {
      out.fate = Fate::kCannot;
      out.why = std::move(lack);
    } else if (!options.method.empty()) {
      out.why = fmt::format("--method {} was given", options.method);
    } else if (std::string reason = passed_over(engine, history, level, options); !reason.empty()) {
      out.why = std::move(reason);
    } else {
      out.why = fmt::format("{} comes first", choice.engine->name);
    }
  }
  return cases;
}

bool version_orders_are_told(const History& history) {
  const HistoryColumns& c = history.columns();
  std::vector<bool> told(history.key_count(), false);
  for (const VersionOrder& order : c.version_orders) {
    if (order.complete != 0) told[raw(order.key)] = true;
  }
  return std::all_of(c.op.begin(), c.op.end(), [&](OpHead op) {
    return !is_item_write(op.kind()) || op.kind() == OpKind::kAppend || told[raw(op.key())];
  });
}

}  // namespace isolde
