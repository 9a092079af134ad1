#include "proxy/capture/transaction.h"

#include <algorithm>
#include <tuple>

namespace isolde::proxy::capture {
namespace {

constexpr std::size_t kMostRows = 1'000'000;  // of one transaction

}  // namespace

void Transactions::starts(std::int64_t sent) {
  if (!open_) {
    open_ = true;
    begin_ = sent;
  }
  last_sent_ = sent;
}

void Transactions::row(RowSeen&& row) {
  if (rows_.size() >= kMostRows) return doubt("more than a million rows");
  rows_.push_back(std::move(row));
}

void Transactions::doubt(std::string_view why) {
  if (doubt_.empty()) doubt_ = why;
}

void Transactions::end(Status status, std::int64_t sent, std::int64_t answered) {
  const bool speaks = !rows_.empty();
  if (!doubt_.empty()) {
    if (open_) sink_.left_out(doubt_);
  } else if (open_ && speaks) {
    Ended out{.status = status,
              .begin = begin_,
              .end = answered,
              .commit_sent = sent,
              .commit_answered = answered,
              .level = level_.now(),
              .rows = {}};
    out.rows.swap(rows_);
    sink_.ended(std::move(out));
  }
  rows_.clear();
  savepoints_.clear();
  level_.begin();
  settled_ = 0;
  open_ = explicit_ = failed_ = false;
  doubt_ = {};
}

void Transactions::back_to(const std::string& name) {
  const auto at = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                               [&](const Savepoint& savepoint) { return savepoint.name == name; });
  if (at == savepoints_.rend()) return doubt("a savepoint that was not seen");
  rows_.resize(std::min(rows_.size(), at->rows), RowSeen{});
  settled_ = rows_.size();
  savepoints_.erase(at.base(), savepoints_.end());
  failed_ = false;
}

void Transactions::release(const std::string& name) {
  const auto at = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                               [&](const Savepoint& savepoint) { return savepoint.name == name; });
  if (at == savepoints_.rend()) return doubt("a savepoint that was not seen");
  savepoints_.erase(at.base() - 1, savepoints_.end());
}

void Transactions::control(const Step& step, std::string_view tag, std::int64_t sent, std::int64_t answered) {
  switch (step.kind) {
    case Kind::kBegin:
      explicit_ = true;
      return;
    case Kind::kSavepoint:
      savepoints_.push_back({step.name, rows_.size()});
      return;
    case Kind::kRelease:
      return release(step.name);
    case Kind::kRollBackTo:
      return back_to(step.name);
    case Kind::kCommit:
    case Kind::kRollBack:
      if (tag != "COMMIT" && tag != "ROLLBACK") return doubt("an end that was not understood");
      {
        const std::string level = level_.now();
        end(tag == "COMMIT" ? Status::kCommitted : Status::kAborted, sent, answered);
        explicit_ = step.chains;  // the next one has begun, at the same level
        if (step.chains) level_.apply({LevelChange::Reach::kTransaction, level});
      }
      return;
    case Kind::kPrepare:
      // In a failed transaction it rolls back instead.
      if (tag == "ROLLBACK") return end(Status::kAborted, sent, answered);
      doubt("PREPARE TRANSACTION");
      return end(Status::kUnknown, sent, answered);
    case Kind::kUnclear:
    case Kind::kSchema:
      if (!explicit_ && !rows_.empty()) doubt("a statement that may commit by itself");
      return;
    default:
      // What is no transaction statement here, but ends one by its tag.
      if (tag == "COMMIT" || tag == "ROLLBACK") doubt("an end that was not understood");
  }
}

// A join returns a row as often as it finds partners for it: that is one read.
void Transactions::drop_repeated() {
  if (rows_.size() - settled_ < 2 || rows_[settled_].plan == nullptr || rows_[settled_].plan->sources.size() < 2)
    return;
  const auto name = [](const RowSeen& row) {
    return std::tie(row.table, row.key, row.version.xmin, row.version.block, row.version.place);
  };
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(settled_);
  std::sort(first, rows_.end(), [&](const RowSeen& a, const RowSeen& b) { return name(a) < name(b); });
  rows_.erase(std::unique(first, rows_.end(), [&](const RowSeen& a, const RowSeen& b) { return name(a) == name(b); }),
              rows_.end());
}

void Transactions::done(const Step& step, std::string_view tag, std::int64_t sent, std::int64_t answered) {
  drop_repeated();
  level_.apply(step.level);
  for (std::size_t i = settled_; i < rows_.size(); ++i) rows_[i].after = answered;
  settled_ = rows_.size();
  control(step, tag, sent, answered);
}

void Transactions::failed(const Step& step) {
  if (!open_) return;
  if (step.kind == Kind::kUnclear && !explicit_ && !rows_.empty()) doubt("a statement that may commit by itself");
  rows_.resize(std::min(rows_.size(), settled_), RowSeen{});
  failed_ = true;
}

void Transactions::ready(char status, std::int64_t answered) {
  if (!open_) return;
  if (status == 'I' && explicit_ && !failed_) doubt("an end that was not understood");
  if (status == 'I') return end(failed_ ? Status::kAborted : Status::kCommitted, last_sent_, answered);
  // A block that nobody was seen to begin: BEGIN came in a form that was not understood.
  if (!explicit_ && status == 'T') {
    if (!rows_.empty()) doubt("a transaction whose beginning was not understood");
    explicit_ = true;
  }
}

void Transactions::lost(bool waits, std::int64_t last_sent) {
  if (!open_) return;
  // The statement at hand may have been carried out, and its transaction committed.
  if (!waits) rows_.resize(std::min(rows_.size(), settled_), RowSeen{});
  end(waits ? Status::kUnknown : Status::kAborted, waits ? std::max(last_sent, last_sent_) : last_sent_, 0);
}

}  // namespace isolde::proxy::capture
