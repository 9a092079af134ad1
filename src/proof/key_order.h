// proof/key_order.h: what the raw history says about the order of one key's writers: written anew for the proof alone.
//
// In, out: all reads and writes of a key by transactions that count -> whether one writer's version is known to come
//          before another's, and which version a read returned.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "history/history.h"
#include "proof/operations.h"

namespace isolde::proof {

class KeyOrder {
 public:
  struct Writer {
    TxnId txn;
    std::vector<Touch> writes;
  };
  struct Read {
    TxnId txn;
    Touch touch;
    std::vector<ValueId> own;  // elements that the reader itself had appended
    bool again;                // it had read the key before, and must have read the same
  };
  // What those that do not count as committed wrote: a value -> who may have written it too.
  enum Other : std::uint8_t {
    kMayHaveLeft = 1,     // one of unknown outcome left it
    kMayHaveWritten = 2,  // … wrote it
    kAborted = 4,
  };
  using Others = std::unordered_map<std::uint32_t, std::uint8_t>;
  // How a level binds what is read to versions.
  enum class Rule : std::uint8_t { kUnread, kMaySkip, kFollow };

  KeyOrder(const History& history, KeyId key, Rule rule, std::vector<Writer> writers, std::vector<Read> reads,
           Others others);

  // The writer of the version that the read returned, kNoTxn for the initial one; nothing if it cannot be told.
  [[nodiscard]] std::optional<TxnId> version_read(TxnId txn, OpId op) const;
  [[nodiscard]] bool before(TxnId a, TxnId b) const;
  // The writers whose versions are known to follow each other at once, this one among them.
  [[nodiscard]] std::vector<TxnId> run_of(TxnId t) const;
  // Calls f(reader, writer) for each read of another transaction's version.
  template <typename F>
  void for_each_read_from(F&& f) const {
    for (const Read& read : reads_) {
      const auto writer = version(read);
      if (writer && *writer != kNoTxn) f(read.txn, *writer);
    }
  }
  // … by what was read and given, or by that and this ground, which must be there.
  [[nodiscard]] bool before(TxnId a, TxnId b, Ground ground) const;
  [[nodiscard]] bool writes(TxnId t) const { return place_.contains(raw(t)); }
  [[nodiscard]] const Writer* writer(TxnId t) const;
  [[nodiscard]] const Read* read(TxnId txn, OpId op) const;
  // The list that was read, without what the reader itself appended; nothing if it does not end with that.
  [[nodiscard]] std::optional<std::span<const ValueId>> others(const Read& read) const;

 private:
  void find_runs();
  void link(std::uint32_t before, std::uint32_t after);
  [[nodiscard]] bool others_wrote(ValueId value, std::uint8_t how) const;
  // The only one that wrote the value, aborted ones among them; kNone32: several, the initial state or nobody.
  [[nodiscard]] std::uint32_t only_writer(ValueId value) const;
  [[nodiscard]] bool is_given(std::uint32_t x, std::uint32_t y) const;
  [[nodiscard]] bool evidence_says(std::uint32_t x, std::uint32_t y, Ground ground) const;
  void given_pairs();
  void list_places();
  [[nodiscard]] std::optional<TxnId> version(const Read& read) const;
  // The writers whose elements these are, each with all of its own in one piece; nothing if they are not so.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> pieces(std::span<const ValueId> list) const;

  const History& h_;
  const KeyId key_;
  const Rule rule_;
  const std::vector<Writer> writers_;
  const std::vector<Read> reads_;
  const Others others_;
  bool is_list_ = false;
  bool is_told_by_value_ = true;                            // no sum, and not both appended to and written as a whole
  std::unordered_map<std::uint32_t, std::uint32_t> place_;  // transaction -> place in writers_
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> values_;  // value or element -> writers of it
  std::vector<std::vector<std::uint32_t>> given_;                         // orders, as places in writers_
  std::vector<std::vector<std::uint32_t>> given_next_;                    // writer -> those right after it in a line
  std::vector<std::uint32_t> shown_;                                      // writers in the order of the longest list
  std::vector<std::uint32_t> next_, previous_, run_, rank_;
  std::vector<std::vector<std::uint32_t>> after_;              // run -> runs
  std::set<std::pair<std::uint32_t, std::uint32_t>> updated_;  // who read whose version (kNone32: initial) and wrote
};

}  // namespace isolde::proof
