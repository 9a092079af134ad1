#include <fmt/format.h>

#include "check/mirror/core.h"

namespace isolde::mirror {

std::string window_text(std::int64_t lo, std::int64_t hi) {
  const std::string from = lo == kAlways ? "(…" : fmt::format("[{}", lo);
  return from + (hi == kNever ? ", …)" : fmt::format(", {}]", hi));
}

std::string Core::name(Fingerprint fingerprint) const {
  if (columns.on && fingerprint == kPresentFingerprint) return "a row";
  const auto saved = saved_names.find(raw64(fingerprint));
  if (saved != saved_names.end()) return saved->second;
  if (const auto held = looks.rows.text(fingerprint)) return *held;
  return names.text(fingerprint);
}

std::string Core::key_name(Fingerprint key) const {
  const KeySlot slot = columns.on ? keys.find(key) : kNoKeySlot;
  if (!columns.is_column(slot)) return name(key);
  return fmt::format("{} (column {})", name(columns.of[slot].row), name(columns.of[slot].name));
}

std::string Core::text_of(Fingerprint text) const {
  const std::string json = name(text);
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

std::string txn_text(const Core& core, Fingerprint id) { return fmt::format("transaction {}", core.name(id)); }

namespace {

// The key itself, or the row whose column it is.
Fingerprint row_of(const Core& core, Fingerprint key) {
  const KeySlot slot = core.keys.find(key);
  return core.columns.is_column(slot) ? core.columns.of[slot].row : key;
}

}  // namespace

void tell(Core& core, const Found& found) {
  OnlineViolation violation;
  violation.kind = found.kind;
  violation.rule = found.rule;
  for (const Fingerprint id : found.txns) violation.transactions.push_back(core.name(id));
  if (found.about_key) violation.key = core.name(row_of(core, found.key));
  if (found.about_read) violation.read = core.name(found.read);
  if (found.expects) violation.expected = core.name(found.expected);
  const bool about_row = found.statement != kNone32 && found.about_key && !found.about_read;
  if (about_row) violation.expected = core.name(found.version);
  for (const Found::Step& step : found.steps)
    violation.steps.push_back({step.from, step.to, step.type,
                               step.key == kNullFingerprint ? std::string() : core.name(row_of(core, step.key))});
  violation.time = found.time;
  violation.statement = found.statement;
  std::string text = fmt::format("Transaction {}", violation.transactions.front());
  if (found.about_read) text += fmt::format(" read {} of key {}", violation.read, core.key_name(found.key));
  if (!found.about_read && found.about_key) text += fmt::format(", key {}", core.key_name(found.key));
  if (about_row) text += fmt::format(" ({})", violation.expected);
  if (found.expects) text += fmt::format(" where {} is expected", violation.expected);
  violation.text = text + ": " + found.text + ".";
  // Whose versions are named beside a wrong read depends on which of them are still held: no part of the identity.
  OnlineViolation guilty = violation;
  if (found.about_read || found.statement != kNone32) guilty.transactions.resize(1);
  violation.identity = identity_of(guilty);
  core.recent.mark_told(found.txns);
  if (core.summary != nullptr) {
    core.summary->told.insert(core.summary->told.end(), found.txns.begin(), found.txns.end());
  }
  if (core.time.complete) {
    ++core.counts.violations;
    core.sink.violated(violation);
  } else {
    ++core.counts.suspicions;
    core.sink.suspected(violation, "a session is missing whose transactions might explain it");
  }
}

}  // namespace isolde::mirror
