#include "stream/feed.h"

namespace isolde::stream {
namespace {

class AsItComes : public Feed {
 public:
  void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t, std::int64_t) override {
    chunks_.push_back(chunk);
    ++pieces_;
  }
  void gone(Fingerprint, std::int64_t) override {}

  std::size_t deliver(std::int64_t, const Take& take, std::size_t) override {
    for (const auto& chunk : chunks_) {
      auto repeated = chunk->repeated.begin();
      for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
        if (repeated != chunk->repeated.end() && *repeated == TxnId{t}) {
          ++repeated;
        } else {
          take({.chunk = chunk, .txn = TxnId{t}});
        }
      }
    }
    chunks_.clear();
    return 0;  // nothing is left
  }
  void close() override {}

  [[nodiscard]] StreamTime time(std::int64_t now) override { return {.now = now}; }
  [[nodiscard]] Held held() const override { return {}; }

  // Between two pieces it holds nothing.
  [[nodiscard]] std::uint64_t pieces() const override { return pieces_; }
  [[nodiscard]] std::uint64_t oldest_needed() const override { return pieces_; }
  void save(StateWriter& out) const override { out.put(pieces_); }
  [[nodiscard]] bool load(StateReader& in) override {
    pieces_ = in.get<std::uint64_t>();
    return in.good();
  }

 private:
  std::uint64_t pieces_ = 0;
  std::vector<std::shared_ptr<const Chunk>> chunks_;
};

}  // namespace

std::unique_ptr<Feed> feed_as_it_comes() { return std::make_unique<AsItComes>(); }

}  // namespace isolde::stream
