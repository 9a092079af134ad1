#include "audit/confirm/stage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "probe/schedule.h"

namespace isolde::audit {
namespace {

using probe::RequestKind;

constexpr std::size_t kOurs = SIZE_MAX;  // a request that belongs to no cue

// How long a statement that the server does not list as waiting may take. A limit against hanging, no measure: what
// waits is known by asking.
constexpr std::chrono::milliseconds kPatience{10'000};

bool makes_a_number(const Play& play, const Line& line) {
  if (!line.clues.inserts || line.clues.tables.empty()) return false;
  const Table& table = play.schema.table(line.clues.tables.front().table);
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](ColumnId column) { return play.schema.column(column).generated_id; });
}

std::string answer_text(const db::Reply& reply) {
  constexpr std::size_t kMostRows = 3, kMostText = 160;
  if (!reply.done()) return fmt::format("error {}: {}", reply.failure.code, reply.failure.text);
  if (reply.width == 0) return rows_counted(reply.changed) + (reply.changed == 0 ? "" : " changed");
  std::string text = rows_counted(reply.rows());
  for (std::size_t r = 0; r < std::min(kMostRows, reply.rows()); ++r) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < reply.width; ++c) cells.push_back(probe::cell_text(reply.at(r, c)));
    text += r == 0 ? ": " : ", ";
    text += reply.width == 1 ? cells[0] : fmt::format("({})", fmt::join(cells, ", "));
  }
  if (reply.rows() > kMostRows) text += ", …";
  if (text.size() > kMostText) {
    text.resize(kMostText);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
    text += "…";
  }
  return text;
}

}  // namespace

std::vector<Cue> cues_of(const Anomaly& anomaly, const Play& play, const std::vector<std::vector<std::string>>& sql) {
  std::vector<Cue> cues;
  std::vector<bool> begun(play.members.size(), false), ended(play.members.size(), false);
  std::vector<std::vector<bool>> done;
  for (const auto& lines : sql) done.emplace_back(lines.size(), false);
  const auto begin = [&](std::uint32_t m) {
    if (!begun[m]) cues.push_back({m, Event::Kind::kStart});
    begun[m] = true;
  };
  const auto say = [&](std::uint32_t m, std::uint32_t line) {
    if (line >= done[m].size() || done[m][line]) return;
    done[m][line] = true;
    begin(m);
    if (!sql[m][line].empty()) cues.push_back({m, Event::Kind::kStatement, line});
  };
  const auto commit = [&](std::uint32_t m) {
    begin(m);
    for (std::uint32_t l = 0; l < sql[m].size(); ++l) say(m, l);
    cues.push_back({m, Event::Kind::kCommit});
    ended[m] = true;
  };
  for (const StoryStep& step : anomaly.steps) {
    if (step.member >= play.members.size() || ended[step.member]) continue;
    switch (step.kind) {
      case Event::Kind::kStart:
        begin(step.member);
        break;
      case Event::Kind::kStatement:
        say(step.member, play.members[step.member].line_of(step.statement));
        break;
      case Event::Kind::kContinues:  // when it does is the server's business
        break;
      case Event::Kind::kCommit:
        commit(step.member);
        break;
    }
  }
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    if (!ended[m]) commit(m);
  }
  return cues;
}

std::vector<Cue> serial_cues(const Play& play, const std::vector<std::uint32_t>& order,
                             const std::vector<std::vector<std::string>>& sql) {
  std::vector<Cue> cues;
  for (const std::uint32_t m : order) {
    cues.push_back({m, Event::Kind::kStart});
    for (std::uint32_t l = 0; l < play.members[m].lines.size(); ++l) {
      if (!sql[m][l].empty()) cues.push_back({m, Event::Kind::kStatement, l});
    }
    cues.push_back({m, Event::Kind::kCommit});
  }
  return cues;
}

Result<std::unique_ptr<Stage>> Stage::open(ScratchPlace& place, const StageLevel& level, std::size_t members) {
  std::unique_ptr<Stage> stage(new Stage(place, level));
  if (auto ready = stage->have_members(members); !ready) return std::move(ready).error();
  return stage;
}

Result<void> Stage::have_members(std::size_t members) {
  if (!crew_) crew_ = std::make_unique<probe::Crew>(std::vector<std::unique_ptr<db::Connection>>());
  for (std::size_t i = 0; i < members; ++i) {
    if (i < crew_->size() && crew_->usable(i)) continue;
    auto connection = place_.connect(level_);
    if (!connection) return std::move(connection).error();
    if (i < crew_->size()) {
      crew_->replace(i, *std::move(connection));
    } else {
      crew_->add(*std::move(connection));
    }
  }
  return {};
}

// What cannot wait is sent along with what follows it.
std::vector<Stage::Bundle> Stage::bundles_of(const Play& play, const std::vector<Cue>& cues, Together together) const {
  const auto goes_on = [&](const Cue& cue) {
    const Member& member = play.members[cue.member];
    const bool own_level = level_.of_members && !member.level.empty();
    switch (cue.kind) {
      case Event::Kind::kStart:
        // MariaDB's SET TRANSACTION comes before BEGIN, which must be the first of what is sent together.
        return together != Together::kNothing && !(own_level && place_.dialect() != db::Family::kPostgres);
      case Event::Kind::kStatement: {
        if (together != Together::kPlainReads) return together == Together::kAll;
        const Line& line = member.lines[cue.line];
        return line.reads_plainly() && !own_level;
      }
      case Event::Kind::kContinues:
      case Event::Kind::kCommit:
        break;
    }
    return false;
  };
  std::vector<Bundle> bundles;
  bool open = false;  // the last goes on
  for (std::size_t i = 0; i < cues.size(); ++i) {
    const bool joins = open && cues[i].member == cues[i - 1].member && cues[i].kind == Event::Kind::kStatement;
    if (!joins) bundles.emplace_back();
    bundles.back().cues.push_back(i);
    open = goes_on(cues[i]);
  }
  return bundles;
}

// What the cue sends: into `before` what comes before the request of its own, which goes into the step.
void Stage::add_requests(const Play& play, const Sql& sql, const Cue& cue, std::vector<probe::Request>& before,
                         probe::Step& step) const {
  step = {cue.member, RequestKind::kStatement, {}, {}, {}};
  switch (cue.kind) {
    case Event::Kind::kStart: {
      step.kind = RequestKind::kBegin;
      const std::string& own = play.members[cue.member].level;
      if (level_.of_members && !own.empty()) {
        // PostgreSQL's SET TRANSACTION is of the transaction that is open, MariaDB's of the next.
        auto& where = place_.dialect() == db::Family::kPostgres ? step.after : before;
        where.push_back({RequestKind::kStatement, "set transaction isolation level " + own});
      }
      if (std::string set = place_.after_begin(cue.member); !set.empty())
        step.after.push_back({RequestKind::kStatement, std::move(set)});
      break;
    }
    case Event::Kind::kCommit:
      step.kind = RequestKind::kCommit;
      break;
    case Event::Kind::kStatement:
    case Event::Kind::kContinues: {
      step.sql = sql[cue.member][cue.line];
      const Line& line = play.members[cue.member].lines[cue.line];
      std::string set = place_.before_insert(cue.member, cue.line, line.makes);
      if (!set.empty() && makes_a_number(play, line)) before.push_back({RequestKind::kStatement, std::move(set)});
      break;
    }
  }
}

std::vector<probe::Step> Stage::steps_of(const Play& play, const Sql& sql, const std::vector<Cue>& cues,
                                         std::vector<Bundle>& bundles) const {
  std::vector<probe::Step> steps;
  for (Bundle& bundle : bundles) {
    std::vector<probe::Request> requests;
    probe::Step step{};
    for (const std::size_t i : bundle.cues) {
      if (i != bundle.cues.front()) {  // the one before it is no longer the last
        requests.push_back({step.kind, step.sql});
        bundle.of.push_back(i - 1);
        requests.insert(requests.end(), step.after.begin(), step.after.end());
        bundle.of.resize(requests.size(), kOurs);
      }
      add_requests(play, sql, cues[i], requests, step);
      bundle.of.resize(requests.size(), kOurs);
    }
    step.before = std::move(requests);
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<StageRun> Stage::run(const Play& play, const Sql& sql, const std::vector<InitialRow>& rows,
                            ScratchPlace::RowOrder order, const std::vector<Cue>& cues, Together together) {
  if (auto ready = have_members(play.members.size()); !ready) return std::move(ready).error();
  if (auto filled = place_.fill(play, rows, order); !filled) return std::move(filled).error();
  place_.was_run(play);

  std::vector<Bundle> bundles = bundles_of(play, cues, together);
  const std::vector<probe::Step> steps = steps_of(play, sql, cues, bundles);
  probe::ScheduleOptions options;
  options.rolls_back_failed = true;
  options.patience = kPatience;
  const probe::Transcript transcript = probe::run_schedule(place_.database(), place_.keeper(), *crew_, steps, options);
  if (transcript.fault) {
    for (std::size_t i = 0; i < crew_->size(); ++i) {
      if (crew_->usable(i) && !crew_->busy(i)) continue;
      crew_.reset();
      break;
    }
    const std::size_t at = transcript.fault_at;
    return Error{at == probe::kNoStep ? transcript.fault->text
                                      : fmt::format("T{}: {}", steps[at].transaction + 1, transcript.fault->text)};
  }

  StageRun out;
  out.waited = transcript.waited();
  out.unanswered = transcript.unanswered();
  if (const db::Failure* const failure = transcript.failure()) {
    out.refused_code = failure->code;
    out.refused = failure->text;
  }
  Observed& seen = out.observed;
  seen.committed.assign(play.members.size(), false);
  for (std::size_t m = 0; m < transcript.ends.size(); ++m)
    seen.committed[m] = transcript.ends[m].end == probe::End::kCommitted;
  for (const Member& member : play.members) {
    seen.answers.emplace_back(member.lines.size());
    seen.began.emplace_back(member.lines.size(), kNone32);
    seen.ended.emplace_back(member.lines.size(), kNone32);
  }
  seen.committed_at.assign(play.members.size(), kNone32);
  for (std::size_t b = 0; b < bundles.size(); ++b) note_answers(cues, bundles[b], transcript.steps[b], seen);
  for (std::uint32_t when = 0; when < transcript.events.size(); ++when) {
    const probe::Event& event = transcript.events[when];
    // Only the last of those that are sent together can have waited.
    for (const std::size_t i : bundles[event.step].cues) {
      const bool last = i == bundles[event.step].cues.back();
      if (cues[i].kind == Event::Kind::kStatement) {
        std::uint32_t& began = seen.began[cues[i].member][cues[i].line];
        if (began == kNone32) began = when;
      }
      if (last && event.kind != probe::Event::Kind::kAnswered) continue;
      std::uint32_t& place = cues[i].kind == Event::Kind::kStatement ? seen.ended[cues[i].member][cues[i].line]
                                                                     : seen.committed_at[cues[i].member];
      if (cues[i].kind != Event::Kind::kStart && place == kNone32) place = when;
    }
  }
  tell_steps(sql, cues, bundles, transcript, out);
  out.sent = sent_steps(cues, bundles, transcript, play.members.size());
  auto left = place_.contents(play);
  if (!left) return std::move(left).error();
  for (const db::Reply& reply : *left) seen.left.push_back(rows_of(reply));
  return out;
}

void Stage::note_answers(const std::vector<Cue>& cues, const Bundle& bundle, const probe::StepRecord& record,
                         Observed& seen) {
  if (record.state == probe::StepRecord::State::kNotSent) return;
  for (const std::size_t i : bundle.cues) {
    if (cues[i].kind != Event::Kind::kStatement) continue;
    if (const db::Reply* const reply = reply_to(bundle, i, record))
      seen.answers[cues[i].member][cues[i].line] = answer_of(*reply);
  }
}

// The first that is heard of a step is that it waits or was answered, and nothing else is sent before that.
std::vector<SentStep> Stage::sent_steps(const std::vector<Cue>& cues, const std::vector<Bundle>& bundles,
                                        const probe::Transcript& transcript, std::size_t members) {
  std::vector<SentStep> out;
  std::vector<bool> still(members, false), begun(bundles.size(), false);
  for (const probe::Event& event : transcript.events) {
    using Kind = probe::Event::Kind;
    if (event.kind == Kind::kNotSent) continue;
    if (event.kind == Kind::kNoAnswer || event.kind == Kind::kGivenUp) return {};
    const std::uint32_t member = cues[bundles[event.step].cues.front()].member;
    if (!begun[event.step]) {
      begun[event.step] = true;
      for (std::size_t i = 0; i < bundles[event.step].cues.size(); ++i) out.push_back({member, still});
    }
    still[member] =
        event.kind == Kind::kWaits || transcript.steps[event.step].state == probe::StepRecord::State::kFailed;
    out.back().stands_still = still;
  }
  return out;
}

// Null: it was not sent, because one before it failed.
const db::Reply* Stage::reply_to(const Bundle& bundle, std::size_t cue, const probe::StepRecord& record) {
  const auto at = static_cast<std::size_t>(std::ranges::find(bundle.of, cue) - bundle.of.begin());
  if (at < record.before.size()) return &record.before[at];
  return at == record.before.size() ? &record.reply : nullptr;
}

// In the order in which they were sent; one that waited is where it began to, with a word about it.
void Stage::tell_steps(const Sql& sql, const std::vector<Cue>& cues, const std::vector<Bundle>& bundles,
                       const probe::Transcript& transcript, StageRun& out) {
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    const probe::StepRecord& record = transcript.steps[b];
    for (const std::size_t i : bundles[b].cues) {
      const Cue& cue = cues[i];
      const bool last = i == bundles[b].cues.back();
      ConfirmedStep step;
      step.member = cue.member;
      step.sql = cue.kind == Event::Kind::kStart    ? "BEGIN"
                 : cue.kind == Event::Kind::kCommit ? "COMMIT"
                                                    : sql[cue.member][cue.line];
      const db::Reply* const reply =
          record.state == probe::StepRecord::State::kNotSent ? nullptr : reply_to(bundles[b], i, record);
      if (reply == nullptr) {
        step.answer = "not sent: T" + std::to_string(cue.member + 1) + " was rolled back";
        out.steps.push_back(std::move(step));
        continue;
      }
      if (last && record.wait != probe::Wait::kNone) {
        step.answer = "waited; ";
        if (record.let_go_by != probe::kNoStep) {
          const Cue& by = cues[bundles[record.let_go_by].cues.back()];
          step.answer = fmt::format("waited until T{} {}; ", by.member + 1,
                                    by.kind == Event::Kind::kCommit ? "had committed" : "had gone on");
        }
      }
      if (last && record.state == probe::StepRecord::State::kGivenUp && !reply->done()) {
        step.answer += "given up: nothing let it go";
      } else if (cue.kind == Event::Kind::kStatement || !reply->done()) {
        step.answer += answer_text(*reply);
      } else {
        step.answer += cue.kind == Event::Kind::kCommit ? "committed" : "begun";
      }
      out.steps.push_back(std::move(step));
    }
  }
}

}  // namespace isolde::audit
