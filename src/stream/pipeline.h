// stream/pipeline.h: many producers' items, each in its own order -> one order of timestamps: a two-level pipeline.
//
// In, out: batches from producers (any threads) -> items one by one in order of (timestamp, producer's fingerprint),
// those of
//          one producer in the order that it gave them (one thread, the consumer).
// Always:  an item is delivered in order, or with `late` set: none is dropped. Nothing is delivered in order before
//          every live producer has promised to give nothing earlier: by an item, by a heartbeat or by its end. A
//          producer that holds others back and is silent for too long is no longer waited for, and `missing` until it
//          has caught up; so is one whose first item comes behind the watermark. Time of arrival is passed in, never
//          asked for. The same calls in the same order give the same items in the same order.
// Cost:    a heap of producers: consecutive items of one producer go out with one step of the heap, log(producers).
//          Memory: what local buffers hold, and one batch a producer.
// Source:  Leopard (section IV-C, appendix II). Its global buffer may hold several batches of a producer; here it holds
//          one, and a producer is fetched from when it is the one with the smallest timestamp and its batch is gone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "history/fingerprint.h"
#include "stream/local_buffer.h"

namespace isolde::stream {

struct PipelineOptions {
  std::size_t local_items = 1 << 14;      // of one producer; who has more to give has to wait
  std::size_t total_items = SIZE_MAX;     // of all: beyond it, only a producer whose buffer is empty may give a batch
  std::int64_t silence = 10'000'000'000;  // nanoseconds that a producer is waited for; 0: for ever
  std::int64_t hold =
      0;  // nanoseconds that an item is kept before it is delivered, in case that a new producer appears
};

struct PipelineCounts {
  std::uint64_t delivered = 0;
  std::uint64_t runs = 0;  // steps of the heap that delivered something
  std::uint64_t late = 0;
  std::uint64_t silent = 0;    // producers given up since their time was over
  std::uint64_t for_room = 0;  // producers given up before, for lack of room
  std::uint64_t ahead = 0;     // of the late: delivered before their time, for lack of room
  std::uint64_t returned = 0;  // producers that were missing and have caught up
};

// What a person should know of a producer.
struct PipelineEvent {
  enum class What : std::uint8_t { kSilent, kGivenUpForRoom, kBehind, kCaughtUp } what;
  Fingerprint producer;
};

template <typename Item>
class Pipeline {
  using Buffer = LocalBuffer<Item>;

 public:
  using Entry = Timed<Item>;

  // A producer's end, for one thread at a time. The pipeline outlives it.
  class Producer {
   public:
    Producer() = default;
    [[nodiscard]] bool is_open() const { return buffer_ != nullptr; }
    // kFull: nothing of the batch was taken. `now`: of arrival.
    [[nodiscard]] Pushed push(std::vector<Entry>& batch, std::int64_t now) { return buffer_->push(batch, now, false); }
    void push_wait(std::vector<Entry>& batch, std::int64_t now) { (void)buffer_->push(batch, now, true); }
    // "Nothing that I still give is before `time`."
    void heartbeat(std::int64_t time, std::int64_t now) { buffer_->heartbeat(time, now); }
    // It holds nothing back any more; what it gave is delivered in order. It may come back.
    void close() { buffer_->close(); }
    // It was closed and all that it gave is delivered.
    [[nodiscard]] bool ended() const { return buffer_->pending().drained; }
    // Its silence counts from `now` on.
    void touch(std::int64_t now) { buffer_->touch(now); }

   private:
    friend Pipeline;
    explicit Producer(std::shared_ptr<Buffer> buffer) : buffer_(std::move(buffer)) {}
    std::shared_ptr<Buffer> buffer_;
  };

  explicit Pipeline(const PipelineOptions& options = {}) : options_(options) {}
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Any thread. From here on nothing goes out in order that is not before `promise`, or before what it gives.
  // Prints are to be unique: they order what has equal timestamps.
  [[nodiscard]] Producer open(Fingerprint fingerprint, std::int64_t now, std::int64_t promise = kNoTime) {
    auto buffer = std::make_shared<Buffer>(fingerprint, inbox_, options_.local_items, options_.total_items);
    buffer->heartbeat(promise, now);
    return Producer(std::move(buffer));
  }

  // ---- the consumer: one thread ----------------------------------------------------------------------------------
  void advance(std::int64_t now) { now_ = std::max(now_, now); }

  // Calls take(item, late) for all that may go out, at most `max` of them. `pressed()`: too much is held. Then whoever
  // holds all others back is given up before its time; but if it did send since the oldest held item arrived, it is
  // that item that is ahead of everyone, and that one goes out as late.
  template <typename Take, typename Pressed>
  std::size_t dispatch(Take&& take, Pressed&& pressed, std::size_t max = SIZE_MAX);
  template <typename Take>
  std::size_t dispatch(Take&& take) {
    return dispatch(std::forward<Take>(take), [] { return false; });
  }

  // No item that is still to be delivered in order is before this. It only rises; kNoTime at first. An item that comes
  // behind what was told here is late.
  [[nodiscard]] std::int64_t watermark() {
    take_inbox();
    if (!heap_.empty()) floor_ = std::max(floor_, heap_.front().key);
    return floor_;
  }
  [[nodiscard]] bool complete() const { return missing_.empty(); }
  [[nodiscard]] const std::set<std::uint64_t>& missing() const { return missing_; }  // fingerprints
  // What a restart needs of a producer, if what is pending is given again after it.
  struct Saved {
    std::int64_t promise, last;
    bool missing, barred, closed;
    std::uint8_t unused[5];  // no bytes of chance in a checkpoint
  };
  [[nodiscard]] Saved save(const Producer& producer) const;
  [[nodiscard]] Producer restore(Fingerprint fingerprint, const Saved& saved);
  [[nodiscard]] std::int64_t floor() const { return floor_; }
  void restore_floor(std::int64_t floor) { floor_ = floor; }

  [[nodiscard]] std::size_t held() const { return inbox_.items.load(std::memory_order_relaxed); }
  [[nodiscard]] const PipelineCounts& counts() const { return counts_; }
  [[nodiscard]] std::vector<PipelineEvent> take_events() { return std::exchange(events_, {}); }

 private:
  // The consumer's side of a producer.
  struct Member {
    std::shared_ptr<Buffer> buffer;
    Batch<Item> batch;
    std::size_t at = 0;           // in the batch
    std::int64_t last = kNoTime;  // the latest that it gave
    typename Buffer::Look look{};
    bool missing = false;
    bool barred = false;                  // holds nothing back until it has caught up
    std::int64_t behind_since = kNoTime;  // holds what is there back for so long, to catch up
  };
  struct Node {
    std::int64_t key;    // nothing that it still gives is before this
    std::uint64_t rank;  // among equal keys: the fingerprint; 0 for what is late anyway
    Member* member;
    bool waiting;  // it has nothing to give yet

    [[nodiscard]] bool before(const Node& other) const {
      return key != other.key ? key < other.key : rank < other.rank;
    }
  };

  [[nodiscard]] bool place(Member& member, Node& node);
  void take_inbox();
  [[nodiscard]] bool refresh_root();
  [[nodiscard]] bool over_time(const Member& member) const;
  void give_up_root(PipelineEvent::What why);
  template <typename Take>
  void give_run(Take& take, std::size_t max);
  template <typename Take>
  void give_one(Member& member, bool late, Take& take);
  template <typename Take>
  [[nodiscard]] bool relieve(Take& take);
  void caught_up(Member& member);
  void mark_missing(Member& member, PipelineEvent::What why);
  void tell(PipelineEvent::What what, Fingerprint producer);

  void push_node(const Node& node);
  void replace_root(const Node& node);
  void pop_root();
  void sift_down(std::size_t hole, const Node& node);

  PipelineOptions options_;
  Inbox<Item> inbox_;
  std::unordered_map<Buffer*, std::unique_ptr<Member>> members_;
  std::vector<Node> heap_;           // by before()
  std::set<std::uint64_t> missing_;  // fingerprints
  std::int64_t now_ = kNoTime;
  std::int64_t floor_ = kNoTime;  // what is behind this is late
  PipelineCounts counts_;
  std::vector<PipelineEvent> events_;
};

}  // namespace isolde::stream

#include "stream/pipeline_impl.h"
