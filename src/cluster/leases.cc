#include "cluster/leases.h"

#include <algorithm>

namespace isolde::cluster {

Leases::Leases(Broker& broker, Names names, std::string me, Time lease)
    : broker_(&broker), names_(std::move(names)), me_(std::move(me)), lease_(lease) {
  reader_ = broker_->reader(names_.lease(), names_.leases(), 1);
}

void Leases::read(Time now) {
  if (announcing_.here()) {
    announced_ = announcing_->outcome == AppendOutcome::kStored ? announcing_->sequence : 0;
    announcing_ = {};
  }
  constexpr std::size_t kAll = 4096;
  const auto messages = reader_->fetch(kAll);
  if (!messages || messages->empty()) return;
  // What comes at once may have been written long before: by the broker's clock, relative to the newest.
  const std::int64_t newest = messages->back().time;
  for (const StoredMessage& message : *messages) {
    Key& key = keys_[message.subject];
    key = {message.data, message.sequence, now - Time(std::max<std::int64_t>(newest - message.time, 0)), false};
    read_ = message.sequence;
  }
}

void Leases::announce(Time now) {
  if (announcing_.pending()) return;
  read(now);
  std::uint64_t known = announced_;
  const auto at = keys_.find(names_.sign_of(me_));
  // A predecessor of the same name may have left its key.
  if (at != keys_.end() && !expired(at->second, now)) known = std::max(known, at->second.revision);
  announcing_ = broker_->append({names_.sign_of(me_), "here", {}}, known);
}

void Leases::leave() {
  if (announced_ != 0) static_cast<void>(broker_->append({names_.sign_of(me_), {}, {}}, std::nullopt));
  announced_ = 0;
}

std::size_t Leases::workers(Time now) const {
  const std::string signs = names_.sign_of({});
  std::size_t count = 0;
  for (const auto& [subject, key] : keys_)
    count += subject.starts_with(signs) && !key.value.empty() && !expired(key, now) ? 1 : 0;
  return std::max<std::size_t>(count, 1);
}

Leases::Holder Leases::holder(std::uint32_t partition, Time now) const {
  const auto at = keys_.find(names_.lease_of(partition));
  if (at == keys_.end()) return {};
  const Key& key = at->second;
  if (!expired(key, now)) return {key.value, key.revision};
  return {{}, key.doubted ? key.revision : 0};
}

void Leases::was_refused(std::uint32_t partition) {
  const auto at = keys_.find(names_.lease_of(partition));
  if (at != keys_.end()) at->second.doubted = !at->second.doubted;
}

}  // namespace isolde::cluster
