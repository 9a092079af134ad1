#include "batch/parts.h"

#include <utility>

namespace isolde::batch {

FolderParts::FolderParts(SegmentList list, unsigned rank, unsigned ranks)
    : list_(std::move(list)),
      first_(list_.parts.size() * rank / ranks),
      end_(list_.parts.size() * (rank + std::size_t{1}) / ranks),
      known_(list_.parts.size(), 0) {
  std::uint64_t place = 0;
  for (const Segment& part : list_.parts) {
    places_.push_back(place);
    place += part.transactions;
  }
  places_.push_back(place);
}

Result<std::shared_ptr<const History>> FolderParts::load(std::size_t part) {
  if (loaded_ == part) return last_;
  last_.reset();
  loaded_ = SIZE_MAX;
  auto read = read_segment(list_, first_ + part, known_[first_ + part]);
  if (!read) return std::move(read).error();
  last_ = std::make_shared<const History>(*std::move(read));
  loaded_ = part;
  return last_;
}

Result<std::shared_ptr<const History>> FolderParts::rest() {
  if (list_.rest.empty()) return std::shared_ptr<const History>();
  auto read = read_segment_rest(list_);
  if (!read) return std::move(read).error();
  return std::make_shared<const History>(*std::move(read));
}

}  // namespace isolde::batch
