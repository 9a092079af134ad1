#include "report/json.h"

#include <fmt/format.h>

#include "anomaly/telling.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/faults_shown.h"

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

// What the step rests on; of an assumed anti-dependency also whose version was read, and of what follows from a read,
// whose.
void add_because(const History& h, const Step& s, JsonObject& out) {
  out.text("because", name(s.ground));
  if (s.type == StepType::kRw && s.ground == Ground::kAssumed) out.raw("source", txn_json(h, s.source));
  if (s.reader != kNoTxn) out.raw("reader", txn_json(h, s.reader));
}

std::string step_json(const History& h, const Step& s, std::string_view says) {
  JsonObject out;
  out.raw("from", txn_json(h, s.from))
      .raw("to", txn_json(h, s.to))
      .text("type", name(s.type))
      .raw("key", key_json(h, s.key))
      .raw("from_op", op_json(h, s.from_op))
      .raw("to_op", op_json(h, s.to_op));
  if (s.type == StepType::kWw || s.type == StepType::kRw || s.ground == Ground::kAssumed) add_because(h, s, out);
  return out.text("text", says).done();
}

std::string choice_json(const History& h, const proof::Choices& choices, proof::Literal literal) {
  const proof::Choice& choice = choices.all[literal.choice];
  const TxnId first = choice.first, second = choice.second;
  switch (choice.kind) {
    case proof::Choice::Kind::kBefore:
      return JsonObject()
          .raw("before", txn_json(h, literal.made ? first : second))
          .raw("after", txn_json(h, literal.made ? second : first))
          .raw("key", key_json(h, choice.key))
          .done();
    case proof::Choice::Kind::kFrom:
      return JsonObject()
          .raw("reader", txn_json(h, second))
          .raw("key", key_json(h, choice.key))
          .raw("from", txn_json(h, first))
          .done();
    case proof::Choice::Kind::kCommitted:
      return JsonObject().raw("committed", txn_json(h, first)).done();
  }
  return "null";
}

std::string steps_json(const History& h, const std::vector<Step>& steps, const std::vector<std::string>& says) {
  auto words = says.begin();
  return json_list(steps, [&](const Step& step) { return step_json(h, step, *words++); });
}

std::string cases_json(const History& h, const Anomaly& a, const Explanation& e) {
  const proof::Choices choices = choices_of(h, a);
  std::size_t i = 0;
  return json_list(a.cases, [&](const Case& one) {
    const auto literal = [&](const proof::Literal& l) { return choice_json(h, choices, l); };
    const std::size_t place = i++;
    return JsonObject()
        .raw("assume", json_list(choices.of_case[place], literal))
        .raw("steps", steps_json(h, one.steps, e.cases[place]))
        .done();
  });
}

std::string anomaly_json(const History& h, const Anomaly& a) {
  const Explanation e = explain(h, a);
  JsonObject out;
  out.text("name", telling_name(h, a))
      .raw("transactions", json_list(a.transactions, [&](TxnId t) { return txn_json(h, t); }))
      .text("text", paragraph(e))
      .raw("steps", steps_json(h, a.steps, e.steps));
  if (!a.cases.empty()) out.raw("cases", cases_json(h, a, e));
  if (const std::string faults = faults_during(h, a); !faults.empty()) out.text("faults", faults);
  out.text("contradiction", e.contradiction).text("kind", full_name(a));
  if (a.source == ReadSource::kNotARead) return out.done();
  out.raw("operation", op_json(h, a.op))
      .raw("key", key_json(h, a.key))
      .raw("read", h.values().json(a.read))
      .text("source", name(a.source))
      .raw("source_writer", txn_json(h, a.source_writer));
  if (a.expected_known) {
    out.raw("expected", a.expected_text.empty() ? h.values().json(a.expected) : a.expected_text)
        .raw("expected_writer", txn_json(h, a.expected_writer));
  }
  return out.done();
}

std::string counts_by_name(const Verdict& v) {
  JsonObject out;
  for (std::size_t k = 0; k < v.counts.size(); ++k) {
    if (v.counts[k] > 0) out.number(info(static_cast<AnomalyKind>(k)).name, v.counts[k]);
  }
  return out.done();
}

std::string search_json(const SearchStats& search) {
  return JsonObject()
      .number("pairs", search.pairs)
      .number("pruned", search.pruned)
      .number("guessed", search.guessed)
      .number("searched", search.searched)
      .number("reads", search.reads)
      .number("conflicts", search.conflicts)
      .done();
}

std::string strongest_levels_json(const Strongest& strongest) {
  JsonObject out;
  for (const LevelInfo& level : all_levels()) {
    const auto outcome = strongest.at(level.level);
    if (outcome) out.text(level.name, strongest.is_untested(level.level) ? kNotTested : name(*outcome));
  }
  return out.done();
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

std::string stats_json(const Report& r) {
  const WholeHistory whole = whole_of(r);
  JsonObject seconds;
  seconds.decimal("load", r.stats.load_seconds, 6).decimal("check", r.stats.check_seconds, 6);
  if (r.strongest) seconds.decimal("strongest", r.stats.strongest_seconds, 6);
  return JsonObject()
      .number("transactions", whole.transactions)
      .number("operations", whole.operations)
      .raw("seconds", seconds.done())
      .raw("cpu_seconds", JsonObject()
                              .decimal("load", r.stats.load_cpu_seconds, 6)
                              .decimal("check", r.stats.check_cpu_seconds, 6)
                              .done())
      .decimal("peak_mib", r.stats.peak_mib, 1)
      .done();
}

}  // namespace

std::string render_json(const Report& r) {
  const Verdict& v = r.verdict;
  const auto quoted = [](std::string_view text) { return json_string(text); };
  std::vector<std::string> notes = r.notes;
  notes.insert(notes.end(), v.notes.begin(), v.notes.end());
  JsonObject out;
  out.text("file", r.file).text("level", info(v.level).name).text("verdict", name(v.outcome)).text("method", v.method);
  if (!v.reason.empty()) out.text("reason", v.reason);
  if (v.holds) out.text("holds", info(*v.holds).name);
  out.raw("anomalies", json_list(v.anomalies, [&](const Anomaly& a) { return anomaly_json(r.history, a); }))
      .raw("counts", counts_by_name(v))
      .text("why", r.why_method)
      .text("format", r.format)
      .raw("evidence", json_list(whole_of(r).evidence, quoted))
      .raw("notes", json_list(notes, quoted))
      .text("witness", witness_name(v.witness.kind));
  if (r.proof == Proof::kStepsHold) {
    out.truth("steps_proved", true);
  } else if (r.proof != Proof::kNotAsked) {
    out.truth("proved", r.proof == Proof::kHolds);
    if (r.proof == Proof::kFails) out.text("proof_says", r.proof_says);
  }
  if (r.known) {
    out.raw("baseline", JsonObject()
                            .text("file", r.known->baseline)
                            .raw("known", json_list(r.known->known, quoted))
                            .raw("new", json_list(r.known->fresh, quoted))
                            .done());
  }
  if (!r.methods.empty()) {
    out.raw("methods", json_list(r.methods, [](const MethodCase& m) {
              return JsonObject().text("name", m.name).text("fate", name(m.fate)).text("why", m.why).done();
            }));
  }
  if (v.search) out.raw("search", search_json(*v.search));
  if (r.strongest) {
    out.raw("strongest", json_list(r.strongest->holds, [&](Level level) { return quoted(info(level).name); }))
        .raw("levels", strongest_levels_json(*r.strongest));
  }
  return out.raw("stats", stats_json(r)).done();
}

std::string render_json_error(std::string_view file, std::string_view message) {
  return JsonObject().text("file", file).text("error", message).done();
}

std::string render_json_undecided(std::string_view file, std::string_view reason) {
  return JsonObject().text("file", file).text("verdict", name(Outcome::kUndecided)).text("reason", reason).done();
}

}  // namespace isolde
