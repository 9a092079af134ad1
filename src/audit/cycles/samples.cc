#include "audit/cycles/samples.h"

#include <algorithm>

namespace isolde::audit {

PairTimes::PairTimes(const DependencyGraph& graph, const BreakPoints& times)
    : count_(graph.classes()), times_(count_ * count_) {
  for (std::uint32_t a = 0; a < count_; ++a) {
    for (std::uint32_t b = 0; b < count_; ++b) {
      Times& here = times_[place(ClassId(a), ClassId(b))];
      for (const Conflict& conflict : graph.conflicts(ClassId(a), ClassId(b))) {
        here.arrives = std::max(here.arrives, times.arrives(ClassId(a), ClassId(b), conflict));
        here.leaves = std::min(here.leaves, times.leaves(ClassId(a), ClassId(b), conflict));
      }
    }
  }
}

bool Sampler::possible(const BreakPoints& times, std::span<const ClassId> members, std::span<const Conflict> choices) {
  const std::size_t n = members.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t in = i == 0 ? n - 1 : i - 1;
    const ClassId next = members[i + 1 == n ? 0 : i + 1];
    if (times.arrives(members[in], members[i], choices[in]) > times.leaves(members[i], next, choices[i])) return true;
  }
  return false;
}

void Sampler::begin(std::span<const ClassId> members, std::span<const Conflict> given) {
  size_ = members.size();
  given_ = given.size();
  std::ranges::copy(members, members_.begin());
  std::ranges::copy(given, fixed_.begin());
  for (std::size_t step = 0; step < size_; ++step) {
    options_[step] = step < given_ ? std::span<const Conflict>(&fixed_[step], 1)
                                   : graph_.conflicts(members_[step], members_[step + 1 == size_ ? 0 : step + 1]);
    take(step, 0);
  }
  // Members at which the chain of moments can be made to break.
  break_count_ = 0;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::size_t in = before(i);
    const std::uint32_t arrives = in < given_ ? times_.arrives(members_[in], members_[i], fixed_[in])
                                              : pairs_.latest_arrival(members_[in], members_[i]);
    const std::uint32_t leaves = i < given_
                                     ? times_.leaves(members_[i], members_[i + 1 == size_ ? 0 : i + 1], fixed_[i])
                                     : pairs_.earliest_leaving(members_[i], members_[i + 1 == size_ ? 0 : i + 1]);
    if (arrives > leaves) breaks_[break_count_++] = i;
  }
}

std::uint64_t Sampler::combinations(std::uint64_t enough) const {
  std::uint64_t product = 1;
  for (std::size_t step = given_; step < size_ && product <= enough; ++step) product *= options_[step].size();
  return product;
}

bool Sampler::advance() {
  for (std::size_t step = given_; step < size_; ++step) {
    if (place_[step] + 1 < options_[step].size()) {
      take(step, place_[step] + 1);
      return true;
    }
    take(step, 0);
  }
  return false;
}

void Sampler::choose_any(Rng& rng) {
  for (std::size_t step = given_; step < size_; ++step) take(step, rng.below(options_[step].size()));
}

template <typename Fits>
void Sampler::take_fitting(std::size_t step, Rng& rng, Fits&& fits) {
  const std::size_t n = options_[step].size();
  std::size_t place = rng.below(n);
  for (std::size_t tried = 1; tried < n && !fits(options_[step][place]); ++tried)
    place = place + 1 == n ? 0 : place + 1;
  take(step, place);
}

void Sampler::choose_possible(Rng& rng) {
  choose_any(rng);
  if (break_count_ == 0) return;
  const std::size_t at = breaks_[rng.below(break_count_)];
  const std::size_t in = before(at);
  const ClassId before_it = members_[in], member = members_[at], next = members_[at + 1 == size_ ? 0 : at + 1];
  const std::uint32_t earliest =
      at < given_ ? times_.leaves(member, next, fixed_[at]) : pairs_.earliest_leaving(member, next);
  take_fitting(in, rng,
               [&](const Conflict& conflict) { return times_.arrives(before_it, member, conflict) > earliest; });
  const std::uint32_t arrives = times_.arrives(before_it, member, chosen_[in]);
  take_fitting(at, rng, [&](const Conflict& conflict) { return times_.leaves(member, next, conflict) < arrives; });
}

bool Sampler::choose_same_column() {
  if (given_ == 0 || size_ != given_ + 1) return false;
  const Conflict& last = fixed_[given_ - 1];
  bool found = false;
  for (std::size_t place = 0; place < options_[given_].size(); ++place) {
    const Conflict& conflict = options_[given_][place];
    if (conflict.column != last.column || (found && conflict.kind != EdgeKind::kRw)) continue;
    const std::uint32_t before = place_[given_];
    take(given_, place);
    if (!possible(times_, std::span(members_).first(size_), choices())) {
      take(given_, before);
      continue;
    }
    found = true;
    if (conflict.kind == EdgeKind::kRw) return true;
  }
  return found;
}

bool Sampler::is_new() {
  std::uint64_t hash = 0;
  for (std::size_t step = given_; step < size_; ++step) hash = mix64(hash ^ (place_[step] + 1)) + step;
  if (std::ranges::find(used_, hash) != used_.end()) return false;
  used_.push_back(hash);
  return true;
}

}  // namespace isolde::audit
