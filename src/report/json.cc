#include "report/json.h"

#include <fmt/format.h>

#include "anomaly/telling.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"

namespace isolde {
namespace {

std::string txn_json(const History& h, TxnId t) {
  return t == kNoTxn ? "null" : h.values().json(h.columns().id[raw(t)]);
}
std::string key_json(const History& h, KeyId k) {
  return k == kNoKey ? "null" : h.values().json(h.columns().key_name[raw(k)]);
}
// An operation by its place in its transaction, from 0, as in the file.
std::string op_json(const History& h, OpId op) {
  return op == kNoOp ? "null" : std::to_string(raw(op) - h.first_op(h.txn_of(op)));
}

template <typename Range, typename F>
std::string list(const Range& range, F&& render) {
  std::string out = "[";
  for (const auto& element : range) {
    if (out.size() > 1) out += ", ";
    out += render(element);
  }
  return out + "]";
}

// What the step rests on; of an assumed anti-dependency also whose version was read, and of what follows from a read,
// whose.
std::string because_json(const History& h, const Step& s) {
  std::string out = fmt::format(R"(, "because": {})", json_string(name(s.ground)));
  if (s.type == StepType::kRw && s.ground == Ground::kAssumed)
    out += fmt::format(R"(, "source": {})", txn_json(h, s.source));
  if (s.reader != kNoTxn) out += fmt::format(R"(, "reader": {})", txn_json(h, s.reader));
  return out;
}

std::string step_json(const History& h, const Step& s, std::string_view says) {
  const bool of_versions = s.type == StepType::kWw || s.type == StepType::kRw || s.ground == Ground::kAssumed;
  return fmt::format(R"({{"from": {}, "to": {}, "type": {}, "key": {}, "from_op": {}, "to_op": {}{}, "text": {}}})",
                     txn_json(h, s.from), txn_json(h, s.to), json_string(name(s.type)), key_json(h, s.key),
                     op_json(h, s.from_op), op_json(h, s.to_op), of_versions ? because_json(h, s) : std::string(),
                     json_string(says));
}

std::string choice_json(const History& h, const proof::Choices& choices, proof::Literal literal) {
  const proof::Choice& choice = choices.all[literal.choice];
  switch (choice.kind) {
    case proof::Choice::Kind::kBefore:
      return fmt::format(R"({{"before": {}, "after": {}, "key": {}}})",
                         txn_json(h, literal.made ? choice.first : choice.second),
                         txn_json(h, literal.made ? choice.second : choice.first), key_json(h, choice.key));
    case proof::Choice::Kind::kFrom:
      return fmt::format(R"({{"reader": {}, "key": {}, "from": {}}})", txn_json(h, choice.second),
                         key_json(h, choice.key), txn_json(h, choice.first));
    case proof::Choice::Kind::kCommitted:
      return fmt::format(R"({{"committed": {}}})", txn_json(h, choice.first));
  }
  return "null";
}

std::string steps_json(const History& h, const std::vector<Step>& steps, const std::vector<std::string>& says) {
  std::string out = "[";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) out += ", ";
    out += step_json(h, steps[i], says[i]);
  }
  return out + "]";
}

// Empty if it is not told by cases.
std::string cases_json(const History& h, const Anomaly& a, const Explanation& e) {
  if (a.cases.empty()) return {};
  const proof::Choices choices = choices_of(h, a);
  std::string out = R"(, "cases": [)";
  for (std::size_t i = 0; i < a.cases.size(); ++i) {
    out += fmt::format(R"({}{{"assume": {}, "steps": {}}})", i > 0 ? ", " : "",
                       list(choices.of_case[i], [&](const proof::Literal& l) { return choice_json(h, choices, l); }),
                       steps_json(h, a.cases[i].steps, e.cases[i]));
  }
  return out + "]";
}

std::string anomaly_json(const History& h, const Anomaly& a) {
  const Explanation e = explain(h, a);
  std::string out =
      fmt::format(R"({{"name": {}, "transactions": {}, "text": {}, "steps": {}{}, "contradiction": {}, "kind": {})",
                  json_string(telling_name(h, a)), list(a.transactions, [&](TxnId t) { return txn_json(h, t); }),
                  json_string(paragraph(e)), steps_json(h, a.steps, e.steps), cases_json(h, a, e),
                  json_string(e.contradiction), json_string(full_name(a)));
  if (a.source != ReadSource::kNotARead) {
    out += fmt::format(R"(, "operation": {}, "key": {}, "read": {}, "source": {}, "source_writer": {})",
                       op_json(h, a.op), key_json(h, a.key), h.values().json(a.read), json_string(name(a.source)),
                       txn_json(h, a.source_writer));
    if (a.expected_known) {
      out += fmt::format(R"(, "expected": {}, "expected_writer": {})",
                         a.expected_text.empty() ? h.values().json(a.expected) : a.expected_text,
                         txn_json(h, a.expected_writer));
    }
  }
  return out + "}";
}

std::string counts_by_name(const Verdict& v) {
  std::string out = "{";
  for (std::size_t k = 0; k < v.counts.size(); ++k) {
    if (v.counts[k] == 0) continue;
    if (out.size() > 1) out += ", ";
    out += fmt::format("{}: {}", json_string(info(static_cast<AnomalyKind>(k)).name), v.counts[k]);
  }
  return out + "}";
}

// Empty if nothing was searched.
std::string search_json(const Verdict& v) {
  if (!v.search) return {};
  return fmt::format(
      R"(, "search": {{"pairs": {}, "pruned": {}, "guessed": {}, "searched": {}, "reads": {}, "conflicts": {}}})",
      v.search->pairs, v.search->pruned, v.search->guessed, v.search->searched, v.search->reads, v.search->conflicts);
}

// Empty if it was not looked for.
std::string strongest_json(const Report& r) {
  if (!r.strongest) return {};
  std::string levels;
  for (const LevelInfo& level : all_levels()) {
    const auto outcome = r.strongest->at(level.level);
    if (!outcome) continue;
    const std::string_view state = r.strongest->is_untested(level.level) ? kNotTested : name(*outcome);
    levels += fmt::format("{}{}: {}", levels.empty() ? "" : ", ", json_string(level.name), json_string(state));
  }
  return fmt::format(R"(, "strongest": {}, "levels": {{{}}})",
                     list(r.strongest->holds, [](Level level) { return json_string(info(level).name); }), levels);
}

std::string_view witness_name(Witness::Kind kind) {
  switch (kind) {
    case Witness::Kind::kSerialOrder:
      return "serial-order";
    case Witness::Kind::kPoints:
      return "points";
    default:
      return "none";
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

std::string render_json(const Report& r) {
  const Verdict& v = r.verdict;
  const History& h = r.history;
  const WholeHistory whole = whole_of(r);
  std::vector<std::string> notes = r.notes;
  notes.insert(notes.end(), v.notes.begin(), v.notes.end());
  std::string out = fmt::format(R"({{"file": {}, "level": {}, "verdict": {}, "method": {})", json_string(r.file),
                                json_string(info(v.level).name), json_string(name(v.outcome)), json_string(v.method));
  if (!v.reason.empty()) out += fmt::format(R"(, "reason": {})", json_string(v.reason));
  if (v.holds) out += fmt::format(R"(, "holds": {})", json_string(info(*v.holds).name));
  out += fmt::format(R"(, "anomalies": {}, "counts": {})",
                     list(v.anomalies, [&](const Anomaly& a) { return anomaly_json(h, a); }), counts_by_name(v));
  out += fmt::format(
      R"(, "why": {}, "format": {}, "evidence": {}, "notes": {}, "witness": {})", json_string(r.why_method),
      json_string(r.format), list(whole.evidence, [](std::string_view s) { return json_string(s); }),
      list(notes, [](const std::string& s) { return json_string(s); }), json_string(witness_name(v.witness.kind)));
  if (r.proof != Proof::kNotAsked) {
    const bool by_steps = r.proof == Proof::kStepsHold;
    out += by_steps ? R"(, "steps_proved": true)" : fmt::format(R"(, "proved": {})", r.proof == Proof::kHolds);
    if (r.proof == Proof::kFails) out += fmt::format(R"(, "proof_says": {})", json_string(r.proof_says));
  }
  if (r.known) {
    const auto names = [](const std::vector<std::string>& all) {
      return list(all, [](const std::string& s) { return json_string(s); });
    };
    out += fmt::format(R"(, "baseline": {{"file": {}, "known": {}, "new": {}}})", json_string(r.known->baseline),
                       names(r.known->known), names(r.known->fresh));
  }
  if (!r.methods.empty()) {
    out += fmt::format(R"(, "methods": {})", list(r.methods, [](const MethodCase& m) {
                         return fmt::format(R"({{"name": {}, "fate": {}, "why": {}}})", json_string(m.name),
                                            json_string(name(m.fate)), json_string(m.why));
                       }));
  }
  out += search_json(v) + strongest_json(r);
  const std::string search =
      r.strongest ? fmt::format(R"(, "strongest": {:.6f})", r.stats.strongest_seconds) : std::string();
  out += fmt::format(
      R"(, "stats": {{"transactions": {}, "operations": {}, "seconds": {{"load": {:.6f}, "check": {:.6f}{}}}, "cpu_seconds": {{"load": {:.6f}, "check": {:.6f}}}, "peak_mib": {:.1f}}}}})",
      whole.transactions, whole.operations, r.stats.load_seconds, r.stats.check_seconds, search,
      r.stats.load_cpu_seconds, r.stats.check_cpu_seconds, r.stats.peak_mib);
  return out;
}

std::string render_json_error(std::string_view file, std::string_view message) {
  return fmt::format(R"({{"file": {}, "error": {}}})", json_string(file), json_string(message));
}

std::string render_json_undecided(std::string_view file, std::string_view reason) {
  return fmt::format(R"({{"file": {}, "verdict": {}, "reason": {}}})", json_string(file),
                     json_string(name(Outcome::kUndecided)), json_string(reason));
}

}  // namespace isolde
