#include "check/choose/choose.h"

#include <fmt/format.h>

#include "check/choose/engines.h"

namespace isolde {
namespace {

// Why an engine that could judge this is not the one to take; empty if it is.
std::string passed_over(const Engine& engine, const History& h, Level level, const ChooseOptions& options) {
  if (!engine.set_aside_because.empty()) return std::string(engine.set_aside_because);
  return engine.passed_over == nullptr ? std::string() : engine.passed_over(h, level, options.order_by_commit);
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
    if (passed_over(engine, history, level, options).empty()) return {&engine, std::string(engine.taken_because)};
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

std::string_view why_method(const Choice& choice, const Verdict& verdict) {
  return choice.engine != nullptr && choice.engine->name == verdict.method ? choice.why : std::string_view();
}

Level level_by_evidence(const History& history) {
  const HistoryColumns& c = history.columns();
  return !c.start_ts.empty() && !c.commit_ts.empty() ? Level::kSnapshotIsolation : Level::kSerializable;
}

}  // namespace isolde
