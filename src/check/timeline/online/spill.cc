#include "check/timeline/online/spill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/files.h"

namespace isolde::timeline {
namespace {

auto place_of(const SpilledVersion& v) { return std::tuple(v.key, v.time, v.order, v.writer, v.generation); }

bool is_outdated_by(const SpilledVersion& a, const SpilledVersion& b) {
  return a.key == b.key && a.time == b.time && a.order == b.order && a.writer == b.writer &&
         a.generation < b.generation;
}

}  // namespace

Spill::~Spill() {
  for (const Run& run : runs_) {
    ::close(run.file);
    if (!keep_files_) ::unlink(path(run.name.number).c_str());
  }
}

std::string Spill::path(std::uint64_t number) const { return fmt::format("{}/{}.{}", folder_, name_, number); }

void Spill::add(const SpilledVersion& version) {
  if (!good_) return;
  if (fresh_.capacity() < run_) fresh_.reserve(run_);
  fresh_.push_back(version);
  if (fresh_.size() >= run_) write_run();
}

void Spill::keep() {
  write_run();
  keep_files_ = true;
}

void Spill::write_run() {
  if (fresh_.empty() || !good_) return;
  sort_fresh();
  Run run;
  run.name = {next_++, fresh_.size(), fresh_[0].time, fresh_[0].time};
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    run.name.least = std::min(run.name.least, fresh_[i].time);
    run.name.most = std::max(run.name.most, fresh_[i].time);
    if (i % kFence == 0) run.fence.push_back(fresh_[i].key);
  }
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  run.file = ::open(path(run.name.number).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  good_ = run.file >= 0 && write_all(run.file, fresh_.data(), fresh_.size() * sizeof(SpilledVersion));
  if (run.file >= 0) runs_.push_back(std::move(run));
  on_disk_ += fresh_.size() * sizeof(SpilledVersion);
  fresh_.clear();
  sorted_ = 0;
}

// Those of one place stay in the order in which they were added.
void Spill::sort_fresh() const {
  const auto is_before = [](const SpilledVersion& a, const SpilledVersion& b) { return place_of(a) < place_of(b); };
  const auto middle = fresh_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::stable_sort(middle, fresh_.end(), is_before);
  std::inplace_merge(fresh_.begin(), middle, fresh_.end(), is_before);
  sorted_ = fresh_.size();
}

std::optional<SpilledVersion> Spill::look(const Run& run, std::uint64_t key, std::int64_t time,
                                          std::uint8_t order) const {
  // The last block whose first key is not beyond the key, and those before it as long as the key goes on there.
  auto block = static_cast<std::size_t>(std::upper_bound(run.fence.begin(), run.fence.end(), key) - run.fence.begin());
  std::vector<SpilledVersion> versions;
  while (block-- > 0) {
    const std::size_t first = block * kFence;
    versions.resize(std::min<std::size_t>(kFence, run.name.count - first));
    const std::size_t size = versions.size() * sizeof(SpilledVersion);
    if (::pread(run.file, versions.data(), size, static_cast<off_t>(first * sizeof(SpilledVersion))) !=
        static_cast<ssize_t>(size)) {
      good_ = false;
      return std::nullopt;
    }
    const auto beyond = std::partition_point(versions.begin(), versions.end(), [&](const SpilledVersion& v) {
      return v.key < key || (v.key == key && v.stands_before(time, order));
    });
    if (beyond != versions.begin()) {
      const SpilledVersion& found = *(beyond - 1);
      if (found.key == key) return found;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<SpilledVersion> Spill::last_before(Fingerprint key, std::int64_t time, std::uint8_t order) const {
  std::optional<SpilledVersion> best;
  const auto offer = [&](const SpilledVersion& v) {
    if (!best || place_of(*best) <= place_of(v)) best = v;
  };
  if (fresh_.size() - sorted_ > kUnsorted) sort_fresh();
  const auto unsorted = fresh_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  const auto beyond = std::partition_point(fresh_.begin(), unsorted, [&](const SpilledVersion& v) {
    return v.key < raw64(key) || (v.key == raw64(key) && v.stands_before(time, order));
  });
  if (beyond != fresh_.begin() && (beyond - 1)->key == raw64(key)) best = *(beyond - 1);
  for (auto v = unsorted; v != fresh_.end(); ++v) {
    if (v->key == raw64(key) && v->stands_before(time, order)) offer(*v);
  }
  for (auto run = runs_.rbegin(); run != runs_.rend() && good_; ++run) {
    if (run->name.least > time || (best && run->name.most < best->time)) continue;
    const auto found = look(*run, raw64(key), time, order);
    // Of those at one place the one that was added last counts.
    if (found && (!best || place_of(*best) < place_of(*found))) best = found;
  }
  return good_ ? best : std::nullopt;
}

std::vector<SpilledVersion> Spill::behind(Fingerprint key, std::int64_t time, std::uint8_t order, std::int64_t until,
                                          std::size_t most) const {
  std::vector<SpilledVersion> found;
  const auto offer = [&](const SpilledVersion& v) {
    if (v.key == raw64(key) && v.stands_behind(time, order) && v.time <= until) found.push_back(v);
  };
  std::vector<SpilledVersion> versions;
  for (const Run& run : runs_) {
    if (!good_) break;
    if (run.name.most < time || run.name.least > until) continue;
    // From the block in which the key may begin, as long as it goes on.
    const auto first = std::lower_bound(run.fence.begin(), run.fence.end(), raw64(key));
    auto block = static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - run.fence.begin() - 1, 0));
    const std::size_t before = found.size();
    for (; block < run.fence.size() && run.fence[block] <= raw64(key) && found.size() - before <= most; ++block) {
      const std::size_t at = block * kFence;
      versions.resize(std::min<std::size_t>(kFence, run.name.count - at));
      const std::size_t size = versions.size() * sizeof(SpilledVersion);
      if (::pread(run.file, versions.data(), size, static_cast<off_t>(at * sizeof(SpilledVersion))) !=
          static_cast<ssize_t>(size)) {
        good_ = false;
        return {};
      }
      for (const SpilledVersion& v : versions) offer(v);
    }
  }
  for (const SpilledVersion& v : fresh_) offer(v);  // the latest, so that they come last among those of one place
  std::stable_sort(found.begin(), found.end(),
                   [](const SpilledVersion& a, const SpilledVersion& b) { return place_of(a) < place_of(b); });
  // From behind: the latest generation of a place comes last.
  std::size_t kept = found.size();
  for (std::size_t i = found.size(); i-- > 0;) {
    if (kept < found.size() && is_outdated_by(found[i], found[kept])) continue;
    found[--kept] = found[i];
  }
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept));
  if (found.size() > most) found.resize(most);
  return found;
}

std::size_t Spill::memory() const {
  std::size_t sum = fresh_.capacity() * sizeof(SpilledVersion);
  for (const Run& run : runs_) sum += sizeof run + run.fence.size() * sizeof(std::uint64_t);
  return sum;
}

std::vector<Spill::RunName> Spill::runs() const {
  std::vector<RunName> names;
  for (const Run& run : runs_) names.push_back(run.name);
  return names;
}

bool Spill::restore(const std::vector<RunName>& runs) {
  for (const RunName& name : runs) {
    Run run{name, ::open(path(name.number).c_str(), O_RDONLY | O_CLOEXEC), {}};
    struct stat status{};
    const bool whole = run.file >= 0 && ::fstat(run.file, &status) == 0 &&
                       status.st_size == static_cast<off_t>(name.count * sizeof(SpilledVersion));
    for (std::uint64_t i = 0; whole && i < name.count; i += kFence) {
      std::uint64_t key = 0;
      if (::pread(run.file, &key, sizeof key, static_cast<off_t>(i * sizeof(SpilledVersion))) != sizeof key)
        good_ = false;
      run.fence.push_back(key);
    }
    if (run.file >= 0) runs_.push_back(std::move(run));
    if (!whole) good_ = false;
    if (!good_) return false;
    next_ = std::max(next_, name.number + 1);
    on_disk_ += name.count * sizeof(SpilledVersion);
  }
  keep_files_ = true;
  return true;
}

}  // namespace isolde::timeline
