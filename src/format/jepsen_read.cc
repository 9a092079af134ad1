#include "format/jepsen_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "format/jepsen_names.h"
#include "format/jepsen_nemesis.h"
#include "format/jepsen_workload.h"
#include "history/guessed_initial.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

// What a pass assumes. A pass that finds it wrong is done again with the flag turned, so each turns at most once.
struct Plan {
  bool index_is_id = true;
  bool text_keys = false, text_values = false;
  bool named_loners = false;  // both operations with and without :process
  friend bool operator==(const Plan&, const Plan&) = default;
};

class Pass {
 public:
  Pass(const SourceFile& file, JepsenSyntax syntax, const ReadOptions& options, Workload workload, const Plan& plan)
      : file_(file),
        options_(options),
        plan_(plan),
        names_(builder_, {syntax == JepsenSyntax::kJson, plan.text_keys, plan.text_values}),
        mapper_(builder_, names_, workload),
        workload_(workload),
        nemesis_(builder_),
        ops_(open_ops(syntax, file.bytes)) {}

  // Reads the whole file. A fault, or nothing.
  std::optional<EdnFault> run();
  // The plan that this pass shows to be right.
  [[nodiscard]] Plan better_plan();
  // `start`: of a bank, what an earlier pass showed its accounts to hold at first; else null.
  Result<ReadResult> finish(const BankStart* start);

 private:
  struct Open {
    EdnTree tree;
    JepsenOp op;
    std::int64_t begin = kNoTime;
    bool is_open = false;
  };

  std::optional<EdnFault> take(JepsenOp& op, EdnTree& tree);
  std::optional<EdnFault> invoke(JepsenOp& op, EdnTree& tree);
  std::optional<EdnFault> complete(const JepsenOp& op);
  std::optional<EdnFault> add(Status status, const JepsenOp* invocation, const JepsenOp* completion, std::int64_t begin,
                              std::int64_t end);
  Open* open_of(const JepsenOp& op);
  SessionId session_of(const JepsenOp& op);
  void advance();

  const SourceFile& file_;
  const ReadOptions& options_;
  Plan plan_;
  HistoryBuilder builder_;
  JepsenNames names_;
  WorkloadMapper mapper_;
  Workload workload_;
  JepsenNemesis nemesis_;
  std::unique_ptr<JepsenOps> ops_;

  std::unordered_map<std::int64_t, std::uint32_t> open_by_process_;
  std::vector<std::unique_ptr<Open>> opens_;  // [0]: of the operations without :process
  std::vector<std::uint32_t> free_;
  std::int64_t place_ = 0;
  std::uint64_t op_count_ = 0, loners_ = 0, clients_ = 0, next_report_ = 0;
  std::vector<std::int64_t> ids_;
  bool id_missing_ = false;
  bool invoked_ = false;  // some transaction has an invocation
  std::optional<std::uint64_t> cut_at_;
};

constexpr std::uint64_t kReportEvery = 8U << 20;

void Pass::advance() {
  if (ops_->offset() < next_report_) return;
  next_report_ = ops_->offset() + kReportEvery;
  if (options_.progress != nullptr) options_.progress->advance("read", ops_->offset(), file_.bytes.size());
  // An open invocation's text may lie before that; then its pages are read again.
  if (file_.mapped != nullptr) file_.mapped->forget_before(ops_->offset());
}

std::optional<EdnFault> Pass::run() {
  opens_.push_back(std::make_unique<Open>());
  EdnTree tree;
  JepsenOp op;
  for (;;) {
    const auto got = ops_->next(tree);
    if (got == JepsenOps::Got::kEnd) break;
    if (got == JepsenOps::Got::kFault) {
      if (!options_.lenient || !ops_->fault().truncated) return ops_->fault();
      cut_at_ = ops_->fault().offset;
      break;
    }
    advance();
    ++op_count_;
    if (auto fault = read_op(tree.root(), op)) return fault;
    if (auto fault = take(op, tree)) return fault;
  }
  if (op_count_ == 0) return EdnFault{"expected at least one operation, the file has none", 0};

  std::vector<Open*> unanswered;
  for (const auto& open : opens_) {
    if (open->is_open) unanswered.push_back(open.get());
  }
  std::sort(unanswered.begin(), unanswered.end(),
            [](const Open* a, const Open* b) { return a->op.offset < b->op.offset; });
  for (const Open* open : unanswered) {
    if (auto fault = add(Status::kUnknown, &open->op, nullptr, open->begin, kNoTime)) return fault;
  }
  return std::nullopt;
}

std::optional<EdnFault> Pass::take(JepsenOp& op, EdnTree& tree) {
  if (op.process_kind == JepsenProcess::kOther) {
    nemesis_.take(op, place_);
    return std::nullopt;
  }
  ++(op.process_kind == JepsenProcess::kNone ? loners_ : clients_);
  return op.type == JepsenType::kInvoke ? invoke(op, tree) : complete(op);
}

Pass::Open* Pass::open_of(const JepsenOp& op) {
  if (op.process_kind == JepsenProcess::kNone) return opens_[0]->is_open ? opens_[0].get() : nullptr;
  const auto at = open_by_process_.find(op.process);
  return at == open_by_process_.end() ? nullptr : opens_[at->second].get();
}

std::optional<EdnFault> Pass::invoke(JepsenOp& op, EdnTree& tree) {
  if (const Open* open = open_of(op)) {
    const TextPlace before = place_of(file_.bytes, open->op.offset);
    const std::string who = op.process_kind == JepsenProcess::kNone ? std::string("operations without :process")
                                                                    : fmt::format("process {}", op.process);
    return EdnFault{fmt::format("{} may not invoke before the invocation at {}:{} is completed (double invoke)", who,
                                before.line, before.column),
                    op.offset};
  }
  std::uint32_t slot = 0;
  if (op.process_kind == JepsenProcess::kClient) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(opens_.size()));
      opens_.push_back(std::make_unique<Open>());
    }
    slot = free_.back();
    free_.pop_back();
    open_by_process_.emplace(op.process, slot);
  }
  Open& open = *opens_[slot];
  std::swap(open.tree, tree);  // what `op` points to moves with it
  open.op = op;
  open.begin = mapper_.is_init(op) ? kNoTime : place_++;
  invoked_ = invoked_ || open.begin != kNoTime;
  open.is_open = true;
  return std::nullopt;
}

std::optional<EdnFault> Pass::complete(const JepsenOp& op) {
  Open* const open = open_of(op);
  const JepsenOp* const invocation = open == nullptr ? nullptr : &open->op;
  if (invocation != nullptr && invocation->f && op.f && invocation->f.text() != op.f.text()) {
    const TextPlace before = place_of(file_.bytes, invocation->offset);
    return EdnFault{fmt::format("expected the completion of {} from {}:{}, found one of {}", shown_form(invocation->f),
                                before.line, before.column, shown_form(op.f)),
                    op.f.offset()};
  }
  std::optional<EdnFault> fault;
  const bool init = mapper_.is_init(invocation != nullptr && !op.f ? *invocation : op);
  if (init && op.type == JepsenType::kOk) {
    if (place_ > 0) return EdnFault{"expected :init before every transaction", op.offset};
    JepsenOp initial = op;
    if (!op.has_value() && invocation != nullptr) initial.value = invocation->value;
    fault = mapper_.add_initial(initial);
  } else {
    const Status status = op.type == JepsenType::kOk     ? Status::kCommitted
                          : op.type == JepsenType::kFail ? Status::kAborted
                                                         : Status::kUnknown;
    const std::int64_t place = init ? kNoTime : place_++;
    fault = add(status, invocation, &op, open == nullptr ? kNoTime : open->begin,
                status == Status::kUnknown ? kNoTime : place);
  }
  if (open != nullptr) {
    open->is_open = false;
    if (op.process_kind == JepsenProcess::kClient) {
      const auto at = open_by_process_.find(op.process);
      free_.push_back(at->second);
      open_by_process_.erase(at);
    }
  }
  return fault;
}

SessionId Pass::session_of(const JepsenOp& op) {
  if (op.process_kind == JepsenProcess::kClient) return builder_.session(op.process);
  const std::uint32_t place = builder_.txn_count();
  if (!plan_.named_loners) return builder_.session(place);
  return builder_.session(builder_.values().string(fmt::format("without process {}", place)));
}

std::optional<EdnFault> Pass::add(Status status, const JepsenOp* invocation, const JepsenOp* completion,
                                  std::int64_t begin, std::int64_t end) {
  const JepsenOp& last = completion != nullptr ? *completion : *invocation;
  builder_.begin_txn(session_of(last));
  builder_.set_status(status);
  if (begin != kNoTime) builder_.set_begin(begin);
  if (end != kNoTime) builder_.set_end(end);
  if (plan_.index_is_id && !id_missing_) {
    if (last.index) {
      ids_.push_back(*last.index);
      builder_.set_id(builder_.values().integer(*last.index));
    } else {
      id_missing_ = true;
    }
  }
  if (auto fault = mapper_.add(status, invocation, completion)) return fault;
  builder_.end_txn();
  return std::nullopt;
}

Plan Pass::better_plan() {
  Plan plan = plan_;
  if (plan.index_is_id && id_missing_) {
    // Without any :index at all, the ids are the places already.
    plan.index_is_id = ids_.empty();
  } else if (plan.index_is_id) {
    if (!std::is_sorted(ids_.begin(), ids_.end())) std::sort(ids_.begin(), ids_.end());
    plan.index_is_id = std::adjacent_find(ids_.begin(), ids_.end()) == ids_.end();
  }
  plan.text_keys = plan.text_keys || names_.keys_collide();
  plan.text_values = plan.text_values || names_.values_collide();
  plan.named_loners = plan.named_loners || (loners_ > 0 && clients_ > 0);
  return plan;
}

Result<ReadResult> Pass::finish(const BankStart* start) {
  mapper_.finish(start);
  // Completions alone, in the order of the file, say of nobody when it began: that is no clock.
  if (!invoked_) {
    builder_.forget_ends();
    builder_.forget_faults();
  }
  auto history = builder_.finish();
  if (!history) return std::move(history).error();
  ReadResult result{*std::move(history), {}};
  if (start != nullptr && start->guessed) result.history = with_guessed_initial(result.history);
  if (cut_at_) {
    const TextPlace place = place_of(file_.bytes, *cut_at_);
    result.notes.push_back(
        fmt::format("the file is cut off at {}:{}; everything before that is used", place.line, place.column));
  }
  const auto operations = [](std::uint64_t count) {
    return fmt::format("{} operation{}", count, count == 1 ? "" : "s");
  };
  if (loners_ > 0) {
    result.notes.push_back(
        fmt::format("{} without :process: sessions are not known, so each such transaction gets its own session",
                    operations(loners_)));
  }
  if (workload_ == Workload::kBank) {
    result.notes.emplace_back(
        start != nullptr && start->guessed
            ? "bank: initial balances are not part of the file; where every read overlaps a transfer they are guessed, "
              "so sums that do not add up prove nothing"
            : "bank: initial balances are not part of the file; reads that overlap no transfer show them");
  }
  return result;
}

Workload find_workload(const SourceFile& file, JepsenSyntax syntax) {
  const auto ops = open_ops(syntax, file.bytes);
  WorkloadFinder finder;
  EdnTree tree;
  JepsenOp op;
  // A faulty operation ends the search; the pass proper then tells of it.
  while (ops->next(tree) == JepsenOps::Got::kForm && !read_op(tree.root(), op)) {
    if (op.process_kind != JepsenProcess::kOther && finder.see(op)) break;
  }
  return finder.workload();
}

}  // namespace

Result<ReadResult> read_jepsen(const Source& source, JepsenSyntax syntax, const ReadOptions& options) {
  const SourceFile& file = source.files[0];
  const Workload workload = find_workload(file, syntax);
  Plan plan;
  std::optional<BankStart> start;
  for (;;) {
    Pass pass(file, syntax, options, workload, plan);
    if (const auto fault = pass.run()) {
      const TextPlace place = place_of(file.bytes, fault->offset);
      return Error{fault->text, file.name, place.line, place.column};
    }
    const Plan better = pass.better_plan();
    if (better == plan && (workload != Workload::kBank || start)) return pass.finish(start ? &*start : nullptr);
    if (better == plan) {
      // Once more, now that all transfers are known.
      auto without = pass.finish(nullptr);
      if (!without) return without;
      start = bank_start(without->history, places_as_read(without->history));
    }
    plan = better;
  }
}

}  // namespace isolde
