// check/mirror/exact/group.h: a few transactions and keys of the stream, asked whether any order explains them.
//
// In, out: members (scripts, and how much of each is asked), keys, what these held before -> an Answer; if it is
//          "impossible", the least members and keys for which it still is, and the mechanism without which it is not.
// Always:  every way to fill in what is open is tried. Leaving out a member asks nothing of it and lets its changes be
//          or not be, so what is impossible then is impossible with it, too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "check/mirror/exact/plan.h"
#include "check/mirror/exact/search.h"

namespace isolde::mirror {

struct Member {
  const Script* script;
  Part part;
};

struct Group {
  std::vector<Member> members;
  std::vector<Fingerprint> keys, start;
  std::vector<Sent> sent;
  bool all_sent = false;
};

[[nodiscard]] Answer explain(const Group& group, const Mechanisms& profile, std::int64_t& steps);

// Requires: explain() said that it is impossible. Members that are left out ask nothing any more.
void reduce(Group& group, const Mechanisms& profile);
// The mechanism without which it would be possible: "first updater wins" and so on.
[[nodiscard]] std::string_view broken_rule(const Group& group, const Mechanisms& profile);

}  // namespace isolde::mirror
