#include "check/choose/evidence_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

namespace isolde {
namespace {

constexpr std::string_view kNames[] = {"session", "versions", "realtime", "timestamps"};

Result<std::uint8_t> parse_list(std::string_view option, std::string_view list) {
  std::uint8_t found = 0;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, comma);
    const auto* const at = std::find(std::begin(kNames), std::end(kNames), word);
    if (at == std::end(kNames)) {
      return Error{fmt::format(
          "--{} takes a comma-separated list of session, versions, realtime and timestamps, not \"{}\"", option, word)};
    }
    found = static_cast<std::uint8_t>(found | EvidenceUse::bit(static_cast<EvidenceKind>(at - std::begin(kNames))));
    if (comma + 1 == list.size()) return Error{fmt::format("--{}: nothing follows the last comma", option)};
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return found;
}

std::string listed(std::uint8_t kinds) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((kinds >> i & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", kNames[i]);
  }
  return text;
}

// A level without and with the orders that may be added to it.
struct Forms {
  Level plain, session;
  std::optional<Level> real_time;
};
constexpr Forms kForms[] = {
    {Level::kMonotonicAtomicView, Level::kStrongSessionMonotonicAtomicView, std::nullopt},
    {Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation, Level::kStrongSnapshotIsolation},
    {Level::kSerializable, Level::kStrongSessionSerializable, Level::kStrictSerializable},
};

// Null: the level comes in one form only.
const Forms* forms_of(Level level) {
  const auto* const at = std::find_if(std::begin(kForms), std::end(kForms), [&](const Forms& f) {
    return f.plain == level || f.session == level || f.real_time == level;
  });
  return at == std::end(kForms) ? nullptr : at;
}

Level form_of(const Forms& forms, AddedOrder order) {
  switch (order) {
    case AddedOrder::kNone:
      return forms.plain;
    case AddedOrder::kSession:
      return forms.session;
    case AddedOrder::kRealTime:
      break;
  }
  return *forms.real_time;
}

Error no_real_time(Level level) {
  return Error{fmt::format(
      "there is no {} with real time (--level strong-snapshot-isolation and strict-serializable include it)",
      info(level).name)};
}

// A level that comes in one form only.
Result<Level> only_form(Level asked, const EvidenceUse& evidence) {
  const std::string_view name = info(asked).name;
  const bool has_session = info(asked).order != AddedOrder::kNone;
  if (has_session && evidence.ignores(EvidenceKind::kSession)) {
    return Error{
        fmt::format("session order is part of the definition of {}, so it cannot be ignored (--level "
                    "snapshot-isolation and serializable do not include it)",
                    name)};
  }
  if (!has_session && evidence.uses(EvidenceKind::kSession)) {
    return Error{
        fmt::format("there is no {} with session order (--level strong-session-snapshot-isolation, "
                    "strong-session-serializable and strong-session-monotonic-atomic-view include it)",
                    name)};
  }
  if (evidence.uses(EvidenceKind::kRealTime)) return no_real_time(asked);
  return asked;
}

// The storage of a History whose flags differ from those of the one that it shares its columns with.
struct Kept {
  History history;
  std::uint32_t flags;
};

}  // namespace

std::string_view name(EvidenceKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Result<EvidenceUse> parse_evidence_use(std::string_view use, std::string_view ignore) {
  auto used = parse_list("use", use);
  if (!used) return std::move(used).error();
  auto ignored = parse_list("ignore", ignore);
  if (!ignored) return std::move(ignored).error();
  const auto both = static_cast<std::uint8_t>(*used & *ignored);
  if (both != 0) return Error{fmt::format("{} cannot be in both --use and --ignore", listed(both))};
  return EvidenceUse{*used, *ignored};
}

Result<Level> judged_level(Level asked, const EvidenceUse& evidence) {
  const Forms* const forms = forms_of(asked);
  if (forms == nullptr) return only_form(asked, evidence);
  if (!forms->real_time && evidence.uses(EvidenceKind::kRealTime)) return no_real_time(asked);
  AddedOrder order = info(asked).order;
  if (evidence.uses(EvidenceKind::kRealTime)) {
    order = AddedOrder::kRealTime;
  } else if (order == AddedOrder::kRealTime && evidence.ignores(EvidenceKind::kRealTime)) {
    order = AddedOrder::kSession;
  }
  if (order == AddedOrder::kNone && evidence.uses(EvidenceKind::kSession)) order = AddedOrder::kSession;
  if (evidence.ignores(EvidenceKind::kSession)) {
    if (order == AddedOrder::kRealTime) {
      return Error{fmt::format(
          "real time includes session order, and {} without it has no name (--ignore session,realtime checks {})",
          info(form_of(*forms, order)).name, info(forms->plain).name)};
    }
    order = AddedOrder::kNone;
  }
  return form_of(*forms, order);
}

History judged_history(const History& history, const EvidenceUse& evidence) {
  HistoryColumns columns = history.columns();
  std::uint32_t flags = columns.flags[0];
  if (evidence.ignores(EvidenceKind::kVersions)) {
    columns.version_orders = {};
    columns.version_entries = {};
  }
  if (evidence.ignores(EvidenceKind::kTimestamps)) {
    columns.start_ts = {};
    columns.commit_ts = {};
    flags &= ~static_cast<std::uint32_t>(kSerialByCommitTs);
  }
  if (evidence.ignores(EvidenceKind::kRealTime)) {
    columns.begin = {};
    columns.end = {};
    columns.commit_before = {};
    columns.commit_length = {};
    columns.wide_commits = {};
    columns.op_before = {};
    columns.op_length = {};
    columns.wide_intervals = {};
  }
  if (evidence.uses(EvidenceKind::kTimestamps)) flags |= kVersionsByCommitTs;
  const auto kept = std::make_shared<const Kept>(Kept{history, flags});
  columns.flags = {&kept->flags, 1};
  return {columns, kept};
}

std::vector<std::string> evidence_notes(const History& history, Level asked, Level judged,
                                        const EvidenceUse& evidence) {
  std::vector<std::string> notes;
  if (asked != judged) {
    std::string why;
    if (evidence.use != 0) why += " --use " + listed(evidence.use);
    if (evidence.ignore != 0) why += " --ignore " + listed(evidence.ignore);
    notes.push_back(fmt::format("--level {} with{} is {}", info(asked).name, why, info(judged).name));
  }
  const HistoryColumns& c = history.columns();
  if (evidence.ignores(EvidenceKind::kVersions) && !c.version_orders.empty())
    notes.emplace_back("the version orders in the history are ignored");
  if (evidence.ignores(EvidenceKind::kTimestamps) && !(c.start_ts.empty() && c.commit_ts.empty()))
    notes.emplace_back("the database timestamps in the history are ignored");
  if (evidence.uses(EvidenceKind::kVersions) && c.version_orders.empty())
    notes.emplace_back("--use versions changes nothing: the history has no version orders");
  if (evidence.uses(EvidenceKind::kTimestamps) && c.commit_ts.empty())
    notes.emplace_back("--use timestamps changes nothing: the history has no commit timestamps");
  if (evidence.uses(EvidenceKind::kRealTime) && (c.begin.empty() || c.end.empty()))
    notes.emplace_back("--use realtime adds only session order: the history has no client intervals");
  return notes;
}

}  // namespace isolde
