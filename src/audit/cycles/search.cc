#include "audit/cycles/search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "audit/cycles/break_points.h"
#include "audit/cycles/fingerprints.h"
#include "audit/cycles/forms.h"
#include "audit/cycles/pair_hints.h"
#include "audit/cycles/samples.h"
#include "audit/cycles/ways.h"

namespace isolde::audit {
namespace {

// Shorter first, then by classes and operations: an order that does not depend on who found what.
bool comes_before(const Cycle& x, const Cycle& y) {
  if (x.members.size() != y.members.size()) return x.members.size() < y.members.size();
  if (x.members != y.members) return x.members < y.members;
  const auto operations = [](const CycleEdge& edge) { return std::pair(edge.conflict.from_op, edge.conflict.to_op); };
  return std::ranges::lexicographical_compare(x.edges, y.edges, {}, operations, operations);
}

constexpr std::uint32_t kMostAlike = 16;  // cycles of the same forms that are kept if there are too many in all

// The order of each cycle among those that differ from it in columns only.
std::vector<std::uint32_t> order_among_alike(const std::vector<Cycle>& cycles, const CycleForms& forms) {
  std::unordered_map<std::uint64_t, std::uint32_t> before;
  std::vector<std::uint32_t> out;
  out.reserve(cycles.size());
  for (const Cycle& cycle : cycles) out.push_back(before[forms.fingerprint(cycle)]++);
  return out;
}

// Of those that differ in columns only, the first few. Who found which does not matter: the first few of all are among
// the first few of each part.
void keep_unlike(std::vector<Cycle>& cycles, const CycleForms& forms) {
  std::ranges::sort(cycles, comes_before);
  const std::vector<std::uint32_t> order = order_among_alike(cycles, forms);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (order[i] >= kMostAlike) continue;
    if (kept != i) cycles[kept] = std::move(cycles[i]);
    ++kept;
  }
  cycles.resize(kept);
}

// The first of every form before the second of any: a class with many columns must not use up the place of others.
void keep_most_unlike(std::vector<Cycle>& cycles, std::size_t most, const CycleForms& forms) {
  if (cycles.size() <= most) return;
  keep_unlike(cycles, forms);
  if (cycles.size() <= most) return;
  const std::vector<std::uint32_t> order = order_among_alike(cycles, forms);
  std::vector<std::size_t> places(cycles.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return order[place]; });
  places.resize(most);
  std::vector<Cycle> kept;
  kept.reserve(most);
  for (const std::size_t place : places) kept.push_back(std::move(cycles[place]));
  cycles = std::move(kept);
}

// The dependencies between two classes that a dangerous path may have, runs of the same forms together (forms.h).
struct Steps {
  Steps() = default;
  Steps(const CycleForms& forms, ClassId a, ClassId b, std::span<const Conflict> all, bool one_by_one) {
    for (const Conflict& conflict : all) {
      if (is_rw(conflict.kind) && conflict.vulnerable) first.push_back(conflict);
      if (conflict.kind == EdgeKind::kRw && conflict.vulnerable) second.push_back(conflict);
    }
    if (one_by_one) {
      for (std::uint32_t i = 1; i <= first.size(); ++i) first_ends.push_back(i);
      for (std::uint32_t i = 1; i <= second.size(); ++i) second_ends.push_back(i);
    } else {
      first_ends = forms.group(a, b, first);
      second_ends = forms.group(a, b, second);
    }
  }
  std::vector<Conflict> first, second;
  std::vector<std::uint32_t> first_ends, second_ends;
};

// `visit` is given where a run begins and ends in the first list, and the same in the second, for every two runs.
template <typename Visit>
void for_each_two_runs(std::span<const std::uint32_t> first_ends, std::span<const std::uint32_t> second_ends,
                       Visit&& visit) {
  std::array<std::uint32_t, 4> runs{};
  for (const std::uint32_t first_end : first_ends) {
    runs[1] = first_end;
    runs[2] = 0;
    for (const std::uint32_t second_end : second_ends) {
      runs[3] = second_end;
      visit(std::span<const std::uint32_t, 4>(runs));
      runs[2] = second_end;
    }
    runs[0] = first_end;
  }
}

// Side by side: each of the longer run once, those of the shorter again and again.
std::uint32_t pairings(std::span<const std::uint32_t, 4> runs) {
  return std::max(runs[1] - runs[0], runs[3] - runs[2]);
}

// What all threads share. Each cycle is judged by the one thread that met it first, in its canonical form, so that the
// outcome is the same whoever that is.
struct Shared {
  Shared(const Classes& classes_in, const DependencyGraph& graph_in, const Hints& hints_in,
         const SearchOptions& options_in)
      : classes(classes_in),
        graph(graph_in),
        options(options_in),
        class_graph(graph_in),
        times(classes_in, graph_in.level(), options_in.timing),
        pair_times(graph_in, times),
        pair_hints(classes_in, graph_in, hints_in, options_in.timing),
        correlation_facts(classes_in, graph_in.level()),
        forms(classes_in),
        k(options_in.k),
        l(options_in.l) {
    // Work is handed out by the first dependency of a dangerous path.
    const bool snapshot = graph.snapshots();
    const std::uint32_t n = graph.classes();
    if (snapshot) steps.resize(std::size_t{n} * n);
    for (std::uint32_t a = 0; a < n; ++a) {
      for (std::uint32_t b = 0; b < n; ++b) {
        const std::span<const Conflict> all = graph.conflicts(ClassId(a), ClassId(b));
        if (!can_meet(ClassId(a), ClassId(b)) || std::ranges::none_of(all, is_rw, &Conflict::kind)) continue;
        if (snapshot) steps[std::size_t{a} * n + b] = Steps(forms, ClassId(a), ClassId(b), all, options.every_path);
        units.emplace_back(ClassId(a), ClassId(b));
      }
    }
    if (snapshot) keep_within_budget();
  }
  [[nodiscard]] bool can_meet(ClassId a, ClassId b) const {
    return a == b ? graph.replicas(a) >= 2 : graph.replicas(a) >= 1 && graph.replicas(b) >= 1;
  }

  [[nodiscard]] const Steps& steps_of(ClassId a, ClassId b) const {
    return steps[std::size_t{raw(a)} * graph.classes() + raw(b)];
  }
  // Lowers l, k, and then the share of paths, until the choices are no more than asked for.
  void keep_within_budget() {
    std::uint64_t paths = 0;
    for (const auto& [a, b] : units) {
      const Steps& first = steps_of(a, b);
      if (first.first_ends.empty()) continue;
      for (std::uint32_t c = 0; c < graph.classes(); ++c) {
        const Steps& second = steps_of(b, ClassId(c));
        for_each_two_runs(first.first_ends, second.second_ends,
                          [&](std::span<const std::uint32_t, 4> runs) { paths += pairings(runs); });
      }
    }
    if (paths * k * l <= options.most_samples) return;
    const std::uint64_t most = std::max<std::uint64_t>(1, options.most_samples / 5);
    const auto lower = [&](std::uint32_t& number, std::uint64_t others) {
      const std::uint64_t fits = std::max<std::uint64_t>(1, most / std::max<std::uint64_t>(1, others));
      number = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, fits));
    };
    lower(l, paths * k);
    lower(k, paths * l);
    stride = std::max<std::uint64_t>(1, (paths + most - 1) / most);
  }

  const Classes& classes;
  const DependencyGraph& graph;
  const SearchOptions& options;
  ClassGraph class_graph;
  BreakPoints times;
  PairTimes pair_times;
  PairHints pair_hints;
  CorrelationFacts correlation_facts;
  CycleForms forms;
  Verdicts verdicts;
  std::uint32_t k, l;
  std::uint64_t stride = 1;  // one in so many paths is looked at
  std::vector<Steps> steps;  // by pair of classes
  std::vector<std::pair<ClassId, ClassId>> units;
  std::atomic<std::size_t> next_unit = 0;
  std::atomic<bool> out_of_time = false;
  FingerprintSet seen;
};

class Worker {
 public:
  explicit Worker(Shared& shared)
      : shared_(shared),
        ways_(shared.class_graph),
        sampler_(shared.graph, shared.times, shared.pair_times),
        correlation_(shared.correlation_facts, shared.graph,
                     {shared.graph.level(), shared.options.timing, shared.options.most_correlation_steps}) {}

  void run(Progress* progress) {
    const bool snapshot = shared_.graph.snapshots();
    while (!shared_.out_of_time) {
      const std::size_t unit = shared_.next_unit.fetch_add(1);
      if (unit >= shared_.units.size()) return;
      const auto [a, b] = shared_.units[unit];
      if (snapshot) {
        paths_of_two(a, b);
      } else {
        paths_of_one(a, b);
      }
      if (progress != nullptr && unit % 64 == 0) progress->advance("cycles", unit, shared_.units.size());
    }
  }

  SearchCounts counts;
  std::vector<Cycle> cycles;

 private:
  // Read committed and MySQL's repeatable read: one plain rw.
  void paths_of_one(ClassId a, ClassId b) {
    const std::array<ClassId, 2> taken{a, b};
    const auto ways = ways_between(b, a, taken);
    if (ways.empty()) return;
    for (const Conflict& conflict : shared_.graph.conflicts(a, b)) {
      if (conflict.kind != EdgeKind::kRw) continue;
      // Two that do the same at the same time: each misses what the other does.
      if (a == b) judge(taken, std::array<Conflict, 2>{conflict, conflict});
      close(taken, std::span(&conflict, 1), ways);
    }
  }

  // Snapshot isolation: a vulnerable rw, locked or not, and then a plain one; after a locked one the second can only
  // begin when the first has ended.
  void paths_of_two(ClassId a, ClassId b) {
    const Steps& to_second = shared_.steps_of(a, b);
    if (to_second.first.empty()) return;
    std::uint64_t path = mix64(shared_.options.seed ^ (std::uint64_t{raw(a)} << 32 | raw(b)));
    for (std::uint32_t id = 0; id < shared_.graph.classes() && !shared_.out_of_time; ++id) {
      const ClassId c{id};
      const Steps& to_third = shared_.steps_of(b, c);
      if (to_third.second.empty()) continue;
      const std::array<ClassId, 3> taken{a, b, c};
      const auto same = static_cast<std::uint32_t>(std::ranges::count(taken, a));
      const bool enough = same <= shared_.graph.replicas(a) && (b != c || shared_.graph.replicas(b) >= 2);
      const auto ways = enough ? ways_between(c, a, taken) : std::span<const std::vector<ClassId>>();
      if (ways.empty() && c != a) continue;
      for_each_two_runs(to_second.first_ends, to_third.second_ends, [&](std::span<const std::uint32_t, 4> runs) {
        for (std::uint32_t i = 0; i < pairings(runs); ++i) {
          const std::array<Conflict, 2> given{to_second.first[runs[0] + i % (runs[1] - runs[0])],
                                              to_third.second[runs[2] + i % (runs[3] - runs[2])]};
          if (c == a) judge(std::span(taken).first(2), given);  // the third is the first
          if (++path % shared_.stride == 0) close(taken, given, ways);
        }
      });
    }
  }

  std::span<const std::vector<ClassId>> ways_between(ClassId from, ClassId to, std::span<const ClassId> taken) {
    const std::size_t most = std::min<std::size_t>(shared_.options.most_members, kMostMembers);
    if (most < taken.size()) return {};
    return ways_.find(from, to, taken, shared_.k, most - taken.size(), shared_.options.seed);
  }

  // `start`: the members of the dangerous path; each way leads from the last of them to the first.
  void close(std::span<const ClassId> start, std::span<const Conflict> given,
             std::span<const std::vector<ClassId>> ways) {
    std::uint64_t seed = shared_.options.seed;
    for (const ClassId id : start) seed = mix64(seed + raw(id) + 1);
    for (const Conflict& conflict : given) {
      seed = mix64(seed ^ (std::uint64_t{conflict.from_op} << 32 | conflict.to_op));
    }
    for (std::size_t way = 0; way < ways.size(); ++way) {
      if (++steps_ % 256 == 0 && shared_.options.limits.out_of_time()) shared_.out_of_time = true;
      if (shared_.out_of_time) return;
      const std::span<const ClassId> between = std::span(ways[way]).subspan(1, ways[way].size() - 2);
      std::array<ClassId, kMostMembers> members;
      std::ranges::copy(start, members.begin());
      std::ranges::copy(between, members.begin() + static_cast<std::ptrdiff_t>(start.size()));
      const std::span<const ClassId> all = std::span(members).first(start.size() + between.size());
      sampler_.sample(all, given, shared_.l, Rng(mix64(seed + way)),
                      [&](std::span<const Conflict> choices) { judge(all, choices); });
    }
  }

  void judge(std::span<const ClassId> members, std::span<const Conflict> choices) {
    cycle_.members.assign(members.begin(), members.end());
    cycle_.edges.resize(choices.size());
    for (std::uint32_t i = 0; i < choices.size(); ++i) cycle_.edges[i] = {i, 0, choices[i]};
    for (std::uint32_t i = 0; i < choices.size(); ++i) {
      cycle_.edges[i].to = i + 1 == choices.size() ? 0 : i + 1;
    }
    if (!shared_.seen.insert(fingerprint(cycle_))) return;
    ++counts.found;
    if (!Sampler::possible(shared_.times, members, choices)) {
      ++counts.not_in_time;
      return;
    }
    make_canonical(cycle_);
    if (!shared_.pair_hints.none() && shared_.pair_hints.rule_out(cycle_, edges_)) {
      ++counts.by_hints;
      return;
    }
    if (shared_.options.correlation) {
      const Possible possible = correlated();
      if (possible == Possible::kNo) {
        ++counts.not_correlated;
        return;
      }
      if (possible == Possible::kLimit) ++counts.correlation_limit;
    }
    ++counts.valid;
    cycles.push_back(cycle_);
    if (cycles.size() >= next_trim_) {
      keep_unlike(cycles, shared_.forms);
      next_trim_ = std::max(next_trim_, cycles.size() * 2);
    }
  }

  // By moments cycles of the same forms have the same fate.
  Possible correlated() {
    if (shared_.options.timing != TimingRule::kMoments) return correlation_.check(cycle_).possible;
    const std::uint64_t form = shared_.forms.fingerprint(cycle_);
    if (const std::optional<std::uint8_t> known = shared_.verdicts.find(form)) return static_cast<Possible>(*known);
    const Possible possible = correlation_.check(cycle_).possible;
    shared_.verdicts.add(form, static_cast<std::uint8_t>(possible));
    return possible;
  }

  Shared& shared_;
  WayFinder ways_;
  Sampler sampler_;
  Correlation correlation_;
  Cycle cycle_;
  std::vector<CycleEdge> edges_;
  std::uint64_t steps_ = 0;
  std::size_t next_trim_ = shared_.options.most_cycles * 2 + 1024;
};

}  // namespace

SearchResult search_cycles(const Classes& classes, const DependencyGraph& graph, const Hints& hints,
                           const SearchOptions& options) {
  Shared shared(classes, graph, hints, options);
  std::vector<Worker> workers;
  const std::size_t threads =
      std::clamp<std::size_t>(options.limits.threads, 1, std::max<std::size_t>(1, shared.units.size()));
  workers.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(shared);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&workers, i] { workers[i].run(nullptr); });
  workers[0].run(options.limits.progress);
  for (std::thread& other : others) other.join();

  SearchResult result;
  result.counts.dangerous_paths = graph.stats().dangerous_paths;
  result.counts.k = shared.k;
  result.counts.l = shared.l;
  for (Worker& worker : workers) {
    result.counts.found += worker.counts.found;
    result.counts.not_in_time += worker.counts.not_in_time;
    result.counts.not_correlated += worker.counts.not_correlated;
    result.counts.by_hints += worker.counts.by_hints;
    result.counts.valid += worker.counts.valid;
    result.counts.correlation_limit += worker.counts.correlation_limit;
    std::ranges::move(worker.cycles, std::back_inserter(result.cycles));
  }
  keep_most_unlike(result.cycles, options.most_cycles, shared.forms);
  std::ranges::sort(result.cycles, comes_before);
  result.complete = !shared.out_of_time && result.counts.valid <= options.most_cycles;
  return result;
}

}  // namespace isolde::audit
