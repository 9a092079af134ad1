// check/mirror/recent.h: the transactions that were judged last, for the exact search to look back at.
//
// In, out: each judged transaction -> kept until kKept others were judged after it; unknown ones longer, since they may
//          commit at any time.
// Always:  what was let go has its commit no later than `cut`; nobody who is kept here is missing between.
// Cost:    64 bytes a transaction and its part of a chunk; its acts only if a search has looked at it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/state_file.h"
#include "check/mirror/moments.h"
#include "check/mirror/partition.h"
#include "check/mirror/script.h"
#include "history/chunk.h"

namespace isolde::mirror {

struct RecentTxn {
  std::shared_ptr<const Chunk> chunk;    // or
  std::shared_ptr<const Script> script;  // once somebody has looked
  TxnId txn{0};
  std::uint32_t number = 0;
  Fingerprint id = kNullFingerprint;
  bool unsure = false;  // it came late, or a violation was told of it: only what it left behind counts
  KeyShare share = {};  // only these keys' acts
  bool waits = false;   // to be searched when nothing more comes

  // Makes the script.
  const Script& acts();
};

class Recent {
 public:
  static constexpr std::size_t kKept = 48, kKeptUnknown = 256, kKeptInitials = 4096;
  static constexpr std::int64_t kMostSpare = std::int64_t{1} << 17;

  void note_initial(Fingerprint key, Fingerprint value);
  void add(RecentTxn txn, Status status, std::int64_t commit_hi);
  void mark_told(const std::vector<Fingerprint>& ids);
  // Part of the stream is missing: what is here explains nothing any more.
  void forget(std::int64_t until);
  // The one that was added last is searched when nothing more comes, if it is still here then.
  void wait() { judged_.back().waits = true; }
  // How many of those are not here any more, since this was last asked.
  [[nodiscard]] std::uint64_t take_let_go() { return std::exchange(let_go_, 0); }

  [[nodiscard]] std::deque<RecentTxn>& judged() { return judged_; }
  [[nodiscard]] std::vector<RecentTxn>& unknown() { return unknown_; }
  [[nodiscard]] bool is_whole() const { return whole_; }
  [[nodiscard]] std::int64_t cut() const { return cut_; }
  // Whoever began by then has lost neighbours because part of the stream was missing.
  [[nodiscard]] std::int64_t forgotten() const { return forgotten_; }
  [[nodiscard]] bool lost() const { return lost_; }
  // Whether what is settled can be relied on.
  [[nodiscard]] bool settled() const { return settled_; }
  // What the key held before the stream; null if that is not kept.
  [[nodiscard]] const Fingerprint* initial(Fingerprint key) const;
  [[nodiscard]] bool has_all_initials() const { return all_initials_; }

  std::int64_t spare = kMostSpare;  // steps for searches that no rule asked for

  void save(StateWriter& out);
  [[nodiscard]] bool load(StateReader& in);

 private:
  std::deque<RecentTxn> judged_;
  std::deque<std::int64_t> commit_hi_;  // of these
  std::vector<RecentTxn> unknown_;
  std::unordered_map<std::uint64_t, Fingerprint> initial_;
  std::int64_t cut_ = kAlways, forgotten_ = kAlways;
  std::uint64_t let_go_ = 0;
  bool whole_ = true;         // nobody has been let go
  bool lost_ = false;         // an unknown one has
  bool settled_ = true;       // no part of the stream has been missing
  bool all_initials_ = true;  // none was left out
};

}  // namespace isolde::mirror
