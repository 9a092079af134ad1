// batch/batch_testing.h: parts in memory, and answers as JSON, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "batch/check.h"
#include "batch/local_ranks.h"
#include "batch/parts.h"
#include "checking/checking.h"
#include "history/cut.h"
#include "report/json.h"

namespace isolde::batch {

// A history cut into parts, which ranks share out.
struct CutHistory {
  CutHistory(const History& history, std::size_t count) {
    HistoryCutter cutter(history);
    const std::uint64_t txns = history.txn_count();
    for (std::size_t i = 0; i < count; ++i) {
      first.push_back(txns * i / count);
      parts.push_back(std::make_shared<const History>(cutter.cut(static_cast<std::uint32_t>(txns * i / count),
                                                                 static_cast<std::uint32_t>(txns * (i + 1) / count))));
    }
    first.push_back(txns);
    if (cutter.has_rest()) rest = std::make_shared<const History>(cutter.rest());
    operations = history.op_count();
  }
  std::vector<std::shared_ptr<const History>> parts;
  std::vector<std::uint64_t> first;
  std::shared_ptr<const History> rest;
  std::uint64_t operations = 0;
};

class CutParts final : public Parts {
 public:
  // `behind`: so many transactions come before those of the history, and are not there.
  CutParts(const CutHistory& all, unsigned rank, unsigned ranks, std::uint64_t behind = 0)
      : all_(all),
        first_(all.parts.size() * rank / ranks),
        end_(all.parts.size() * (rank + 1) / ranks),
        behind_(behind) {}
  [[nodiscard]] std::size_t count() const override { return end_ - first_; }
  [[nodiscard]] std::uint64_t first_place(std::size_t part) const override {
    return behind_ + all_.first[first_ + part];
  }
  [[nodiscard]] std::uint64_t end_place(std::size_t part) const override {
    return behind_ + all_.first[first_ + part + 1];
  }
  [[nodiscard]] Result<std::shared_ptr<const History>> load(std::size_t part) override {
    return all_.parts[first_ + part];
  }
  [[nodiscard]] Result<std::shared_ptr<const History>> rest() override { return all_.rest; }
  [[nodiscard]] std::uint64_t whole_bytes() const override { return all_.operations * 16; }
  [[nodiscard]] std::uint64_t whole_operations() const override { return all_.operations; }
  [[nodiscard]] std::uint64_t whole_transactions() const override { return behind_ + all_.first.back(); }

 private:
  const CutHistory& all_;
  std::size_t first_, end_;
  std::uint64_t behind_;
};

// As `isolde check --json --quiet` says it, without costs.
inline std::string json_of_check(const History& h, Level level, const ChooseOptions& options, std::size_t most) {
  Limits limits;
  limits.max_anomalies = most;
  const auto checking = Checking::of(h, level, {.choose = options});
  const Verdict verdict = (*checking)->check(limits);
  Report report{
      .file = "h", .format = "isl", .history = h, .verdict = verdict, .why_method = {}, .notes = {}, .stats = {}};
  report.why_method = (*checking)->why(verdict);
  return render_json(report);
}

struct BatchJson {
  std::string json;
  std::string brought_together;
};

inline BatchJson json_of_batch(const History& h, const BatchOptions& options, std::size_t most, unsigned ranks,
                               std::size_t parts, std::uint64_t behind = 0) {
  const CutHistory cut(h, parts);
  BatchJson out;
  run_local_ranks(ranks, [&](Ranks& here) {
    CutParts mine(cut, here.rank(), here.size(), behind);
    Limits limits;
    limits.max_anomalies = most;
    auto answer = check_parts(here, mine, options, limits);
    if (!here.is_first()) return;
    if (!answer) {
      out.json = "error: " + answer.error().message();
      return;
    }
    out.brought_together = answer->brought_together;
    Report report{.file = "h",
                  .format = "isl",
                  .history = *answer->history,
                  .verdict = answer->verdict,
                  .why_method = answer->why_method,
                  .notes = {},
                  .stats = {}};
    if (answer->is_part)
      report.whole = WholeHistory{answer->transactions - behind, answer->operations, answer->keys, answer->sessions,
                                  evidence_of(*answer->stand_in)};
    out.json = render_json(report);
  });
  return out;
}

}  // namespace isolde::batch
