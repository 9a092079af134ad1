#include "audit/confirm/stage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probe/schedule.h"

namespace isolde::audit {
namespace {

using probe::RequestKind;

// A statement of ours before COMMIT where a failed statement would not keep the server from committing the rest.
constexpr const char* kCheck = "do 0";
constexpr std::uint32_t kCheckLine = kNone32 - 1;

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

std::vector<probe::Step> Stage::steps_of(const Play& play, const std::vector<std::vector<std::string>>& sql,
                                         const std::vector<Cue>& cues) const {
  std::vector<probe::Step> steps;
  for (const Cue& cue : cues) {
    probe::Step step{cue.member, RequestKind::kStatement, {}, {}, {}};
    if (cue.kind == Event::Kind::kStart) {
      step.kind = RequestKind::kBegin;
      const std::string& own = play.members[cue.member].level;
      if (level_.of_members && !own.empty()) {
        // PostgreSQL's SET TRANSACTION is of the transaction that is open, MariaDB's of the next.
        auto& where = place_.dialect() == "postgres" ? step.after : step.before;
        where.push_back({RequestKind::kStatement, "set transaction isolation level " + own});
      }
      if (std::string set = place_.after_begin(cue.member); !set.empty())
        step.after.push_back({RequestKind::kStatement, std::move(set)});
    } else if (cue.kind == Event::Kind::kCommit) {
      step.kind = RequestKind::kCommit;
    } else if (cue.line == kCheckLine) {
      step.sql = kCheck;
    } else {
      step.sql = sql[cue.member][cue.line];
      const Line& line = play.members[cue.member].lines[cue.line];
      std::string set = place_.before_insert(cue.member, cue.line, line.makes);
      if (!set.empty() && makes_a_number(play, line)) step.before.push_back({RequestKind::kStatement, std::move(set)});
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<StageRun> Stage::run(const Play& play, const std::vector<std::vector<std::string>>& sql,
                            const std::vector<InitialRow>& rows, ScratchPlace::RowOrder order,
                            const std::vector<Cue>& cues) {
  if (auto ready = have_members(play.members.size()); !ready) return std::move(ready).error();
  if (auto filled = place_.fill(play, rows, order); !filled) return std::move(filled).error();

  std::vector<Cue> all;
  for (const Cue& cue : cues) {
    if (cue.kind == Event::Kind::kCommit && place_.dialect() != "postgres")
      all.push_back({cue.member, Event::Kind::kStatement, kCheckLine});
    all.push_back(cue);
  }
  const std::vector<probe::Step> steps = steps_of(play, sql, all);
  probe::ScheduleOptions options;
  options.sql_of = [&](std::size_t step, const probe::Transcript& so_far) -> Result<std::string> {
    for (std::size_t i = 0; i < step; ++i) {
      if (all[i].member == all[step].member && so_far.steps[i].state == probe::StepRecord::State::kFailed)
        return Error{"a statement before it failed"};
    }
    return steps[step].sql;
  };
  const probe::Transcript transcript = probe::run_schedule(place_.database(), place_.keeper(), *crew_, steps, options);
  if (transcript.fault) {
    for (std::size_t i = 0; i < crew_->size(); ++i) {
      if (crew_->usable(i) && !crew_->busy(i)) continue;
      crew_.reset();
      break;
    }
    const std::size_t at = transcript.fault_at;
    return Error{at == probe::kNoStep ? transcript.fault->text
                                      : fmt::format("T{}: {}", all[at].member + 1, transcript.fault->text)};
  }

  StageRun out;
  out.waited = transcript.waited();
  out.unanswered = transcript.unanswered();
  if (const db::Failure* const failure = transcript.failure()) {
    out.refused_code = failure->code;
    out.refused = failure->text;
  }
  out.observed.committed.assign(play.members.size(), false);
  for (std::size_t m = 0; m < transcript.ends.size(); ++m)
    out.observed.committed[m] = transcript.ends[m].end == probe::End::kCommitted;
  for (const Member& member : play.members) out.observed.answers.emplace_back(member.lines.size());
  // Steps in the order in which they were answered: one that waited stands where it began to, with a word about it.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const probe::StepRecord& record = transcript.steps[i];
    const Cue& cue = all[i];
    if (cue.kind == Event::Kind::kStatement && cue.line != kCheckLine &&
        record.state != probe::StepRecord::State::kNotSent)
      out.observed.answers[cue.member][cue.line] = answer_of(record.reply);
    if (cue.kind == Event::Kind::kStatement && cue.line == kCheckLine) continue;
    ConfirmedStep step;
    step.member = cue.member;
    step.sql = cue.kind == Event::Kind::kStart    ? "BEGIN"
               : cue.kind == Event::Kind::kCommit ? "COMMIT"
                                                  : sql[cue.member][cue.line];
    if (record.state == probe::StepRecord::State::kNotSent) {
      step.answer = "not sent: T" + std::to_string(cue.member + 1) + " was rolled back";
    } else {
      if (record.wait != probe::Wait::kNone && record.let_go_by != probe::kNoStep) {
        const Cue& by = all[record.let_go_by];
        step.answer = fmt::format("waited until T{} {}; ", by.member + 1,
                                  by.kind == Event::Kind::kCommit ? "had committed" : "had gone on");
      } else if (record.wait != probe::Wait::kNone) {
        step.answer = "waited; ";
      }
      if (record.state == probe::StepRecord::State::kGivenUp && !record.reply.done()) {
        step.answer += "given up: nothing let it go";
      } else if (cue.kind == Event::Kind::kStatement || !record.reply.done()) {
        step.answer += answer_text(record.reply);
      } else {
        step.answer += cue.kind == Event::Kind::kCommit ? "committed" : "begun";
      }
    }
    out.steps.push_back(std::move(step));
  }
  for (const TableId table : play.tables) {
    auto left = place_.contents(play, table);
    if (!left) return std::move(left).error();
    out.observed.left.push_back(rows_of(*left));
  }
  return out;
}

}  // namespace isolde::audit
