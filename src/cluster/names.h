// cluster/names.h: what the streams, subjects and keys of a cluster are called.
//
//   stream NAME            NAME.p.PARTITION.PRODUCER   batches of transactions (cluster/batch.h)
//   stream NAME_verdict    NAME.v.IDENTITY             violations, each once
//   stream NAME_status     NAME.w.PARTITION            how far a partition is; the last message only
//   stream NAME_state      NAME.s.PARTITION.…          checkpoints (cluster/state_store.h)
//   stream NAME_plan       NAME.c                      what is checked, by whom (cluster/plan.h); one message
//   stream NAME_lease      NAME.l.part.PARTITION, NAME.l.worker.ID   who holds what (cluster/leases.h)
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::cluster {

class Names {
 public:
  explicit Names(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& trace() const { return name_; }
  [[nodiscard]] std::string verdict() const { return name_ + "_verdict"; }
  [[nodiscard]] std::string status() const { return name_ + "_status"; }
  [[nodiscard]] std::string state() const { return name_ + "_state"; }
  [[nodiscard]] std::string plan() const { return name_ + "_plan"; }
  [[nodiscard]] std::string lease() const { return name_ + "_lease"; }

  [[nodiscard]] std::string batches() const { return name_ + ".p.>"; }
  [[nodiscard]] std::string batches_of(std::uint32_t partition) const {
    return fmt::format("{}.p.{}.>", name_, partition);
  }
  [[nodiscard]] std::string batch(std::uint32_t partition, std::string_view producer) const {
    return fmt::format("{}.p.{}.{}", name_, partition, producer);
  }
  [[nodiscard]] std::string violations() const { return name_ + ".v.>"; }
  [[nodiscard]] std::string violation(std::uint64_t identity) const {
    return fmt::format("{}.v.{:016x}", name_, identity);
  }
  [[nodiscard]] std::string statuses() const { return name_ + ".w.>"; }
  [[nodiscard]] std::string status_of(std::uint32_t partition) const {
    return fmt::format("{}.w.{}", name_, partition);
  }
  [[nodiscard]] std::string states() const { return name_ + ".s.>"; }
  [[nodiscard]] std::string manifest(std::uint32_t partition) const {
    return fmt::format("{}.s.{}.now", name_, partition);
  }
  [[nodiscard]] std::string state_parts(std::uint32_t partition) const {
    return fmt::format("{}.s.{}.part", name_, partition);
  }
  [[nodiscard]] std::string plans() const { return name_ + ".c"; }

  [[nodiscard]] std::string leases() const { return name_ + ".l.>"; }
  [[nodiscard]] std::string lease_of(std::uint32_t partition) const {
    return fmt::format("{}.l.part.{}", name_, partition);
  }
  [[nodiscard]] std::string sign_of(std::string_view worker) const {
    return fmt::format("{}.l.worker.{}", name_, worker);
  }

 private:
  std::string name_;
};

// Streams, producers and workers are named by letters, digits, '-' and '_', at most 64 of them: other characters mean
// something in subjects.
[[nodiscard]] inline bool is_cluster_name(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  for (const char c : text) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace isolde::cluster
