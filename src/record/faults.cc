#include "record/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/text.h"

namespace isolde::record {
namespace {

// Not at the very ends: a run has to be under way, and to see what came of the last fault.
constexpr double kFirstMoment = 0.03, kLastMoment = 0.92;
constexpr std::uint32_t kMostOfOne = 1'000'000;
constexpr auto kLook = std::chrono::milliseconds(2);
constexpr auto kAimFor = std::chrono::milliseconds(50);
constexpr auto kAimEvery = std::chrono::microseconds(20);

std::uint32_t& count_of(FaultPlan& plan, Fault fault) {
  switch (fault) {
    case Fault::kSever:
      return plan.sever;
    case Fault::kTerminate:
      return plan.terminate;
    case Fault::kRestartOrderly:
      return plan.restart_orderly;
    case Fault::kRestartCrash:
      return plan.restart_crash;
  }
  return plan.sever;
}

std::string names() {
  return joined(kFaultNames, [](const FaultName& row) { return row.name; });
}

Result<void> add_fault(std::string_view item, FaultPlan& plan) {
  const std::size_t colon = item.find(':');
  const std::string_view name = item.substr(0, colon);
  const FaultName* const row =
      std::find_if(std::begin(kFaultNames), std::end(kFaultNames), [&](const FaultName& r) { return r.name == name; });
  if (row == std::end(kFaultNames)) {
    return Error{fmt::format("unknown fault \"{}\"; available: {}, each with :COUNT", name, names())};
  }
  std::uint32_t count = 1;
  if (colon != std::string_view::npos) {
    const std::string_view number = item.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || end != number.data() + number.size() || count > kMostOfOne) {
      return Error{fmt::format("the count of \"{}\" is \"{}\", not a number from 0 to {}", name, number, kMostOfOne)};
    }
  }
  std::uint32_t& total = count_of(plan, row->fault);
  total = std::min(total + count, kMostOfOne);
  return {};
}

double moment_between(Rng& rng, double from, double to) { return from + (to - from) * rng.unit(); }

}  // namespace

Result<FaultPlan> parse_faults(std::string_view text) {
  FaultPlan plan;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    if (Result<void> added = add_fault(text.substr(from, to - from), plan); !added) return added.error();
    from = to + 1;
  }
  return plan;
}

std::string_view name_of(Fault fault) {
  for (const FaultName& row : kFaultNames) {
    if (row.fault == fault) return row.name;
  }
  return {};
}

std::string to_text(const FaultPlan& plan) {
  std::string text;
  FaultPlan counts = plan;
  for (const FaultName& row : kFaultNames) {
    const std::uint32_t count = count_of(counts, row.fault);
    if (count > 0) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", row.name, count);
  }
  return text;
}

std::vector<PlannedFault> schedule_faults(const FaultPlan& plan, std::uint32_t clients, Rng rng) {
  constexpr Phase kAims[] = {Phase::kIdle, Phase::kInTransaction, Phase::kCommitting};
  std::vector<PlannedFault> schedule;
  schedule.reserve(plan.all());
  for (std::uint32_t i = 0; i < plan.sever + plan.terminate; ++i) {
    const double moment = moment_between(rng, kFirstMoment, kLastMoment);
    const auto client = static_cast<std::uint32_t>(rng.below(clients));
    schedule.push_back({moment, i < plan.sever ? Fault::kSever : Fault::kTerminate, client, kAims[rng.below(3)]});
  }
  std::vector<Fault> restarts(plan.restart_orderly, Fault::kRestartOrderly);
  restarts.resize(plan.restarts(), Fault::kRestartCrash);
  for (std::size_t i = restarts.size(); i > 1; --i) std::swap(restarts[i - 1], restarts[rng.below(i)]);
  // Each somewhere in the first half of a share of its own.
  const double share = (kLastMoment - kFirstMoment) / std::max(1.0, static_cast<double>(restarts.size()));
  for (std::size_t i = 0; i < restarts.size(); ++i) {
    const double start = kFirstMoment + share * static_cast<double>(i);
    schedule.push_back({moment_between(rng, start, start + share / 2), restarts[i]});
  }
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const PlannedFault& a, const PlannedFault& b) { return a.moment < b.moment; });
  return schedule;
}

FaultInjector::FaultInjector(std::vector<PlannedFault> schedule, FaultActions actions)
    : schedule_(std::move(schedule)), actions_(std::move(actions)), thread_([this] { work(); }) {}

FaultInjector::~FaultInjector() { finish(); }

FaultPlan FaultInjector::finish() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return done_;
}

void FaultInjector::work() {
  for (const PlannedFault& planned : schedule_) {
    while (!stop_ && actions_.progress() < planned.moment) std::this_thread::sleep_for(kLook);
    if (stop_) return;
    if (planned.fault == Fault::kSever || planned.fault == Fault::kTerminate) wait_for_phase(planned);
    const std::int64_t from = actions_.now ? actions_.now() : 0;
    if (Result<void> done = carry_out(planned); !done) {
      actions_.fail(done.error());
      return;
    }
    ++count_of(done_, planned.fault);
    if (actions_.note) actions_.note(planned, from, actions_.now());
  }
  over_ = true;
}

Result<void> FaultInjector::carry_out(const PlannedFault& planned) {
  switch (planned.fault) {
    case Fault::kSever:
      actions_.sever(planned.client);
      return {};
    case Fault::kTerminate:
      return actions_.terminate(planned.client);
    case Fault::kRestartOrderly:
      return actions_.restart(db::Stop::kOrderly);
    case Fault::kRestartCrash:
      return actions_.restart(db::Stop::kCrash);
  }
  return {};
}

void FaultInjector::wait_for_phase(const PlannedFault& planned) const {
  if (planned.aim == Phase::kIdle) return;
  const auto until = std::chrono::steady_clock::now() + kAimFor;
  while (!stop_ && actions_.phase(planned.client) != planned.aim && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kAimEvery);
  }
}

}  // namespace isolde::record
