#include "stream/feed.h"
#include "stream/sequencer.h"

namespace isolde::stream {
namespace {

class InOrder : public Feed {
 public:
  explicit InOrder(const OrderOptions& options)
      : sequencer_({.silence = options.silence,
                    .hold = options.whole ? kEver : options.hold,
                    .max_bytes = options.max_bytes,
                    .max_sessions = options.max_sessions}) {}

  void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now, std::int64_t came) override {
    sequencer_.add(chunk, now, came);
  }
  void gone(Fingerprint session, std::int64_t) override { sequencer_.gone(session); }
  std::size_t deliver(std::int64_t now, const Take& take, std::size_t most) override {
    sequencer_.advance(now);
    return sequencer_.dispatch(take, most);
  }
  void close() override { sequencer_.close_all(); }
  [[nodiscard]] StreamTime time(std::int64_t now) override { return sequencer_.time(now); }
  [[nodiscard]] Held held() const override {
    const Sequencer::Held held = sequencer_.held();
    return {.transactions = held.transactions, .bytes = held.bytes};
  }
  [[nodiscard]] std::vector<std::string> missing() const override { return sequencer_.missing(); }
  [[nodiscard]] bool waits_for_sessions() const override { return true; }
  [[nodiscard]] std::vector<std::string> notices() override { return sequencer_.notices(); }
  [[nodiscard]] std::uint64_t pieces() const override { return sequencer_.pieces(); }
  [[nodiscard]] std::uint64_t oldest_needed() const override { return sequencer_.oldest_needed(); }
  void save(StateWriter& out) const override { sequencer_.save(out); }
  [[nodiscard]] bool load(StateReader& in) override { return sequencer_.load(in); }

 private:
  Sequencer sequencer_;
};

}  // namespace

std::unique_ptr<Feed> feed_in_order(const OrderOptions& options) { return std::make_unique<InOrder>(options); }

}  // namespace isolde::stream
