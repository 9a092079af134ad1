#include "audit/story/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/story/naming.h"

namespace isolde::audit {
namespace {

std::string t(std::uint32_t member) { return fmt::format("T{}", member + 1); }

class StoryWording {
 public:
  StoryWording(const Classes& classes, const Cycle& cycle) : classes_(classes), cycle_(cycle) {}

  [[nodiscard]] std::string column(const CycleEdge& edge) const { return column_name(classes_, cycle_, edge); }
  [[nodiscard]] std::string table(const CycleEdge& edge) const {
    return classes_.schema.table(classes_.schema.column(edge.conflict.column).table).name;
  }
  [[nodiscard]] const Access& read(const CycleEdge& edge) const {
    return from_operation(classes_, cycle_, edge).access;
  }
  [[nodiscard]] const Access& write(const CycleEdge& edge) const { return to_operation(classes_, cycle_, edge).access; }

  // "reads stock.quantity", "counts rows of orders", "looks for rows by orders.status", "looks for a row of cart".
  [[nodiscard]] std::string reads(const CycleEdge& edge) const {
    const Access& access = read(edge);
    if (misses(edge) && write(edge).inserts && !write(edge).deletes && !access.counts_only) {
      return fmt::format("looks for {} of {}", from_rows(classes_, cycle_, edge).single ? "a row" : "rows",
                         table(edge));
    }
    if (access.foreign_key) return fmt::format("checks that the row of {} is there", table(edge));
    if (access.counts_only) return "counts rows of " + table(edge);
    if (access.in_where && !from_rows(classes_, cycle_, edge).single) return "looks for rows by " + column(edge);
    return "reads " + column(edge);
  }
  [[nodiscard]] std::string writes(const Access& access, const CycleEdge& edge) const {
    if (access.inserts && access.deletes) return "replaces a row of " + table(edge);
    if (access.inserts) return "inserts into " + table(edge);
    if (access.deletes) return "deletes from " + table(edge);
    return "changes " + column(edge);
  }
  [[nodiscard]] std::string writes(const CycleEdge& edge) const { return writes(write(edge), edge); }

  // "which T2 changes", of an rw.
  [[nodiscard]] std::string which_changes(const CycleEdge& edge) const {
    const Access& access = write(edge);
    if (access.inserts && !access.deletes) {
      return from_rows(classes_, cycle_, edge).single
                 ? fmt::format("which is not there: {} inserts it", t(edge.to))
                 : fmt::format("and does not find the one that {} inserts", t(edge.to));
    }
    if (access.deletes && access.inserts) return fmt::format("which {} replaces", t(edge.to));
    if (access.deletes) return fmt::format("which {} deletes", t(edge.to));
    return fmt::format("which {} changes", t(edge.to));
  }

  // One sentence without its end: how the first comes before the second.
  [[nodiscard]] std::string before(const CycleEdge& edge) const {
    switch (edge.conflict.kind) {
      case EdgeKind::kRw:
        return fmt::format("{} {}, {}", t(edge.from), reads(edge), which_changes(edge));
      case EdgeKind::kLockedRw:
        return fmt::format("{} {} and keeps it locked until {} {}", t(edge.from), reads(edge), t(edge.to),
                           writes(edge));
      case EdgeKind::kWr:
        return fmt::format("{} sees {}'s {}", t(edge.to), t(edge.from), column(edge));
      case EdgeKind::kWw:
        return fmt::format("{} writes {} after {}", t(edge.to), column(edge), t(edge.from));
      case EdgeKind::kLock:
        return fmt::format("{} has a row of {} locked until {} gets it", t(edge.from), table(edge), t(edge.to));
    }
    return "";
  }

  [[nodiscard]] std::string all_before() const {
    std::string out;
    for (std::size_t i = 0; i < cycle_.edges.size(); ++i) {
      if (i > 0) out += i + 1 == cycle_.edges.size() ? ", and " : "; ";
      out += before(cycle_.edges[i]);
    }
    return out;
  }

  [[nodiscard]] std::string words(AnomalyName name) const {
    const std::size_t n = cycle_.edges.size();
    const CycleEdge& out = cycle_.edges[main_edge(classes_, cycle_)];
    const CycleEdge& in = cycle_.edges[(out.from + n - 1) % n];
    const std::string me = t(out.from), other = t(out.to);
    if (n == 2) {
      switch (name) {
        case AnomalyName::kLostUpdate:
          return fmt::format(
              "{0} reads {2} and writes it later. In between, {1} writes {2} too and commits; {0} does not "
              "know and overwrites it. What {1} wrote is lost.",
              me, other, column(out));
        case AnomalyName::kStaleRead:
          return stale(out, in);
        case AnomalyName::kWriteSkew:
          if (out.conflict.column == in.conflict.column) {
            return fmt::format(
                "{0} reads {2} of one row, which {1} changes, and {1} reads it of another row, which {0} "
                "changes. Neither sees the other's change, so what each of them relied on no longer "
                "holds when both have committed.",
                me, other, column(out));
          }
          return fmt::format(
              "{}. Neither sees the other's change, so what each of them relied on no longer holds when "
              "both have committed.",
              all_before());
        case AnomalyName::kReadSkew:
          return skew(out, in);
        case AnomalyName::kPhantom:
          return phantom();
        case AnomalyName::kReadOnlyAnomaly:
        case AnomalyName::kOther:
          break;
      }
    }
    if (name == AnomalyName::kReadOnlyAnomaly) {
      for (std::uint32_t member = 0; member < n; ++member) {
        if (!classes_.classes[raw(cycle_.members[member])].reads_only) continue;
        return fmt::format("{}. {} only reads, yet it sees a state that the others, in whatever order, never make.",
                           all_before(), t(member));
      }
    }
    return fmt::format(
        "{}. So each of them comes before the next, and the last before the first: no order of them, one "
        "after the other, does this.",
        all_before());
  }

 private:
  [[nodiscard]] std::string stale(const CycleEdge& out, const CycleEdge& in) const {
    const std::string me = t(out.from), other = t(out.to);
    if (misses(in)) {
      return fmt::format(
          "Both read {0} before the other changes it, and both then change it by an amount: nothing is "
          "lost, but what they checked no longer holds.",
          column(out));
    }
    if (in.conflict.column == out.conflict.column && write(in).increments) {
      return fmt::format(
          "{0} reads {2}, {1} {3} and commits, and {0} then changes it by an amount. The change is not "
          "lost, but what {0} read, and may have checked, is no longer true.",
          me, other, column(out), writes(out));
    }
    return fmt::format("{} {}; {} {} and commits. {} then {}, still believing what it read.", me, reads(out), other,
                       writes(out), me, then(in));
  }

  // What the second does after the first.
  [[nodiscard]] std::string then(const CycleEdge& in) const {
    switch (in.conflict.kind) {
      case EdgeKind::kWw:
        return fmt::format("{} on top of {}'s", writes(in), t(in.from));
      case EdgeKind::kLockedRw:
        return fmt::format("{}, which {} had kept locked", writes(in), t(in.from));
      case EdgeKind::kRw:
      case EdgeKind::kWr:
      case EdgeKind::kLock:
        break;
    }
    return fmt::format("goes on when {} has ended", t(in.from));
  }

  [[nodiscard]] std::string skew(const CycleEdge& out, const CycleEdge& in) const {
    const std::string me = t(out.from), other = t(out.to);
    if (in.conflict.column == out.conflict.column) {
      return fmt::format("{0} {2} before {1}'s change and again after it: within one transaction it sees two states.",
                         me, other, reads(out));
    }
    return fmt::format(
        "{0} {2} before {1}'s change and {3} after it: it sees one part of what {1} did without the other.", me, other,
        reads(out), column(in));
  }

  [[nodiscard]] std::string phantom() const {
    const std::size_t main = is_phantom(classes_, cycle_, cycle_.edges[0]) ? 0 : 1;
    const CycleEdge& out = cycle_.edges[main];
    return fmt::format("{}. {}", before(out), after_phantom(cycle_.edges[1 - main]));
  }

  // The other edge of two, from who made the phantom to who missed it.
  [[nodiscard]] std::string after_phantom(const CycleEdge& in) const {
    const std::string me = t(in.to), other = t(in.from);
    switch (in.conflict.kind) {
      case EdgeKind::kRw:
        return fmt::format(
            "{}, too. Neither sees what the other does, so what each of them found no longer holds when "
            "both have committed.",
            before(in));
      case EdgeKind::kWr:
        return fmt::format("Yet {} sees {}'s {}: one part of its work without the other.", me, other, column(in));
      case EdgeKind::kWw:
      case EdgeKind::kLockedRw:
      case EdgeKind::kLock:
        break;
    }
    return fmt::format("{} then {}, still believing what it found.", me, then(in));
  }

  const Classes& classes_;
  const Cycle& cycle_;
};

// "changes stock.quantity, which T1 does not see and overwrites below": what is done, and who does what with it.
struct RemarkPart {
  std::size_t event;
  std::string does;
  std::uint32_t who;
  std::string what;  // empty: `does` says it all
};

class Remarks {
 public:
  Remarks(const Classes& classes, const Cycle& cycle, const std::vector<Event>& events)
      : classes_(classes), cycle_(cycle), events_(events), wording_(classes, cycle) {}

  std::vector<std::string> make() {
    for (const CycleEdge& edge : cycle_.edges) add_parts(edge);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].waits) parts_.push_back({i, waiting(i), 0, ""});
      if (events_[i].kind == Event::Kind::kContinues) parts_.push_back({i, "has its lock now", 0, ""});
    }
    std::vector<std::string> out(events_.size());
    std::vector<bool> done(parts_.size(), false);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (done[i] || parts_[i].event >= out.size()) continue;
      std::string& text = out[parts_[i].event];
      text += (text.empty() ? "" : "; ") + parts_[i].does;
      bool first = true;
      for (std::size_t j = i; j < parts_.size(); ++j) {
        if (done[j] || parts_[j].event != parts_[i].event || parts_[j].does != parts_[i].does) continue;
        text += whole(j, first, done);
        first = false;
      }
    }
    return out;
  }

 private:
  // All that one of the others does with it.
  [[nodiscard]] std::string whole(std::size_t part, bool first, std::vector<bool>& done) const {
    const RemarkPart& one = parts_[part];
    done[part] = true;
    if (one.what.empty()) return "";
    std::string text = fmt::format("{} {} {}", first ? ", which" : " and", t(one.who), one.what);
    for (std::size_t i = part + 1; i < parts_.size(); ++i) {
      const RemarkPart& other = parts_[i];
      if (other.event != one.event || other.does != one.does || other.who != one.who || other.what.empty()) continue;
      done[i] = true;
      if (text.find(other.what) == std::string::npos) text += " and " + other.what;
    }
    return text;
  }

  [[nodiscard]] std::size_t event_of(std::uint32_t member, Event::Kind kind, std::uint32_t statement = 0) const {
    const auto place = std::ranges::find_if(events_, [&](const Event& event) {
      return event.member == member && event.kind == kind && event.statement == statement;
    });
    return static_cast<std::size_t>(place - events_.begin());
  }

  [[nodiscard]] std::string waiting(std::size_t event) const {
    for (std::size_t end = event + 1; end < events_.size(); ++end) {
      if (events_[end].member != events_[event].member || events_[end].kind != Event::Kind::kContinues) continue;
      for (std::size_t i = end; i > event; --i) {
        if (events_[i].kind == Event::Kind::kCommit) return fmt::format("waits for {}", t(events_[i].member));
      }
    }
    return "waits";
  }

  void add_parts(const CycleEdge& edge) {
    const std::string first = t(edge.from), second = t(edge.to), column = wording_.column(edge);
    const Operation& from_op = from_operation(classes_, cycle_, edge);
    const std::size_t from = event_of(edge.from, Event::Kind::kStatement, from_op.statement);
    const std::size_t to = event_of(edge.to, Event::Kind::kStatement, to_operation(classes_, cycle_, edge).statement);
    const auto add = [&](std::size_t event, std::string does, std::uint32_t who, std::string what) {
      parts_.push_back({event, std::move(does), who, std::move(what)});
    };
    switch (edge.conflict.kind) {
      case EdgeKind::kRw:
        if (from < to) {
          add(from, fmt::format("{}, {} below", wording_.reads(edge), wording_.which_changes(edge)), 0, "");
          add(to, wording_.writes(edge), edge.from,
              wording_.write(edge).inserts ? "has looked for above" : "has read above");
        } else {
          const bool committed = from > event_of(edge.to, Event::Kind::kCommit);
          add(from,
              fmt::format("{} {}", wording_.reads(edge),
                          committed ? fmt::format("as of its snapshot, before {}'s change", second)
                                    : fmt::format("as it was: {}'s change is not committed yet", second)),
              0, "");
          add(to, wording_.writes(edge), edge.from, "does not see below");
        }
        return;
      case EdgeKind::kLockedRw:
        add(from, wording_.reads(edge) + " and keeps it locked", 0, "");
        add(to, fmt::format("{} when {} has ended", wording_.writes(edge), first), 0, "");
        return;
      case EdgeKind::kWr:
        add(from, wording_.writes(from_op.access, edge), edge.to, "sees below");
        add(to, fmt::format("sees {}'s {}", first, column), 0, "");
        return;
      case EdgeKind::kWw: {
        const bool adds = wording_.write(edge).increments;
        add(from, wording_.writes(from_op.access, edge), edge.to, adds ? "adds to below" : "overwrites below");
        add(to, fmt::format("{} {}'s {}", adds ? "adds to" : "overwrites", first, column), 0, "");
        return;
      }
      case EdgeKind::kLock:
        add(from, fmt::format("locks a row of {} until it commits", wording_.table(edge)), 0, "");
        add(to, fmt::format("locks the row after {}", first), 0, "");
        return;
    }
  }

  const Classes& classes_;
  const Cycle& cycle_;
  const std::vector<Event>& events_;
  StoryWording wording_;
  std::vector<RemarkPart> parts_;
};

}  // namespace

std::string words_of(const Classes& classes, AnomalyName name, const Cycle& cycle) {
  return StoryWording(classes, cycle).words(name);
}

std::vector<std::string> remarks_of(const Classes& classes, const Cycle& cycle, const std::vector<Event>& events) {
  return Remarks(classes, cycle, events).make();
}

}  // namespace isolde::audit
