// check/mirror/profile_file.cc: profiles as a user writes them: `[name]`, then lines `field = value`
// (docs/profiles.md).

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "check/mirror/profile.h"

namespace isolde::mirror {
namespace {

constexpr std::pair<std::string_view, Reads> kReads[] = {{"dirty", Reads::kDirty},
                                                         {"committed", Reads::kCommitted},
                                                         {"statement", Reads::kStatement},
                                                         {"transaction", Reads::kTransaction},
                                                         {"certified", Reads::kCertified}};
constexpr std::pair<std::string_view, SnapshotAt> kSnapshotAt[] = {{"first-statement", SnapshotAt::kFirstStatement},
                                                                   {"first-read", SnapshotAt::kFirstRead},
                                                                   {"begin", SnapshotAt::kBegin}};
constexpr std::pair<std::string_view, Certifier> kCertifiers[] = {{"none", Certifier::kNone},
                                                                  {"ssi", Certifier::kSsi},
                                                                  {"timestamp-order", Certifier::kTimestampOrder},
                                                                  {"conflict-check", Certifier::kConflictCheck},
                                                                  {"cycles", Certifier::kCycles}};
constexpr std::pair<std::string_view, bool> kYesNo[] = {{"yes", true}, {"no", false}};
constexpr std::string_view kFields[] = {"like",
                                        "source",
                                        "reads",
                                        "snapshot-at",
                                        "snapshot-gathered",
                                        "rows-since-begin",
                                        "locking-reads-see-latest",
                                        "write-locks",
                                        "read-locks",
                                        "first-updater-wins",
                                        "certifier"};

std::string one_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  return text;
}

template <typename T, std::size_t kCount>
std::string_view word_of(const std::pair<std::string_view, T> (&table)[kCount], T value) {
  for (const auto& [word, meaning] : table) {
    if (meaning == value) return word;
  }
  return table[0].first;
}

// What cannot be at once: a mechanism that would have nothing to stand on.
std::string_view contradiction(const Profile& p) {
  if (p.first_updater_wins && p.reads != Reads::kTransaction)
    return "first-updater-wins is about a transaction's snapshot: it needs reads = transaction";
  if (p.certifier == Certifier::kSsi && p.reads != Reads::kTransaction)
    return "certifier = ssi is about snapshots: it needs reads = transaction";
  if (p.read_locks && !p.write_locks)
    return "read-locks without write-locks keep nobody out: it needs write-locks = yes";
  if (p.rows_since_begin && p.reads != Reads::kCommitted)
    return "rows-since-begin is about rows that are read each for itself: it needs reads = committed";
  if (p.certifier == Certifier::kConflictCheck && (p.reads == Reads::kCertified || p.reads == Reads::kDirty))
    return "certifier = conflict-check compares a commit with the versions that were read, which reads = certified and "
           "reads = dirty do not tell: such a profile finds nothing";
  return "";
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  Result<std::vector<Profile>> parse() {
    while (!rest_.empty()) {
      ++number_;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      const std::string_view kept = trimmed(line_.substr(0, line_.find('#')));
      if (kept.empty()) continue;
      if (auto e = kept.front() == '[' ? header(kept) : field(kept)) return *std::move(e);
    }
    if (auto e = close()) return *std::move(e);
    if (done_.empty()) return Error{"expected a profile: [name]", file_, std::max<std::uint64_t>(number_, 1), 1};
    return std::move(done_);
  }

 private:
  // At a piece of the current line.
  Error error(std::string_view piece, std::string text) const {
    return Error{std::move(text), file_, number_, static_cast<std::uint64_t>(piece.data() - line_.data()) + 1};
  }

  std::optional<Error> header(std::string_view text) {
    if (auto e = close()) return e;
    if (text.back() != ']') return error(text, "expected [name]");
    const std::string_view name = trimmed(text.substr(1, text.size() - 2));
    const auto strange = [](char c) {
      return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' || c == '-' ||
               c == '_' || c == '.');
    };
    if (name.empty()) return error(text, "expected a name between [ and ]");
    if (const auto at = std::find_if(name.begin(), name.end(), strange); at != name.end()) {
      return error(name.substr(static_cast<std::size_t>(at - name.begin())),
                   "expected letters, digits, '-', '_', '.' and ':' in a profile's name");
    }
    if (profile_named(name) != nullptr) {
      return error(name, fmt::format("{} comes with Isolde: choose another name and say like = {}", name, name));
    }
    if (std::any_of(done_.begin(), done_.end(), [&](const Profile& p) { return p.name == name; }))
      return error(name, fmt::format("the profile {} stands here twice", name));
    open_.emplace();
    open_->name = name;
    seen_ = 0;
    header_line_ = number_;
    return std::nullopt;
  }

  std::optional<Error> field(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = trimmed(text.substr(0, equals));
    if (equals == text.npos) return error(text, "expected field = value, or [name]");
    if (!open_) return error(text, "expected [name] before the first field");
    const auto at = std::find(std::begin(kFields), std::end(kFields), name);
    if (at == std::end(kFields)) return error(text, "expected " + one_of(kFields));
    const auto bit = 1U << static_cast<unsigned>(at - std::begin(kFields));
    if ((seen_ & bit) != 0) return error(text, fmt::format("\"{}\" stands here twice", name));
    if (name == "like" && seen_ != 0) return error(text, "\"like\" comes first in its profile");
    seen_ |= bit;
    const std::string_view value = trimmed(text.substr(equals + 1));
    // An empty value has its place where one is expected.
    return take(name, value.empty() ? text.substr(text.size()) : value);
  }

  std::optional<Error> take(std::string_view name, std::string_view value) {
    Profile& p = *open_;
    if (name == "like") return like(value);
    if (name == "source") {
      if (value.empty()) return error(value, "expected what says so: a document, section or test");
      p.source = value;
      return std::nullopt;
    }
    if (name == "reads") return choose(kReads, value, p.reads);
    if (name == "snapshot-at") return choose(kSnapshotAt, value, p.snapshot_at);
    if (name == "snapshot-gathered") return choose(kYesNo, value, p.snapshot_gathered);
    if (name == "rows-since-begin") return choose(kYesNo, value, p.rows_since_begin);
    if (name == "locking-reads-see-latest") return choose(kYesNo, value, p.locking_reads_see_latest);
    if (name == "write-locks") return choose(kYesNo, value, p.write_locks);
    if (name == "read-locks") return choose(kYesNo, value, p.read_locks);
    if (name == "first-updater-wins") return choose(kYesNo, value, p.first_updater_wins);
    return choose(kCertifiers, value, p.certifier);
  }

  std::optional<Error> like(std::string_view value) {
    const Profile* other = profile_named(value);
    const auto at = std::find_if(done_.begin(), done_.end(), [&](const Profile& p) { return p.name == value; });
    if (at != done_.end()) other = &*at;
    if (other == nullptr) return error(value, fmt::format("no profile is called \"{}\"", value));
    std::string name = std::move(open_->name);
    open_ = *other;
    open_->name = std::move(name);
    open_->source.clear();
    return std::nullopt;
  }

  template <typename T, std::size_t kCount>
  std::optional<Error> choose(const std::pair<std::string_view, T> (&table)[kCount], std::string_view value, T& out) {
    std::string_view words[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
      if (table[i].first == value) {
        out = table[i].second;
        return std::nullopt;
      }
      words[i] = table[i].first;
    }
    return error(value, "expected " + one_of(words));
  }

  // The open profile is complete, or what it lacks.
  std::optional<Error> close() {
    if (!open_) return std::nullopt;
    const auto lacks = [&](std::string text) { return Error{std::move(text), file_, header_line_, 1}; };
    const auto says = [&](std::string_view field) {
      return (seen_ >> (std::find(std::begin(kFields), std::end(kFields), field) - std::begin(kFields)) & 1U) != 0;
    };
    if (!says("source")) return lacks(fmt::format("the profile {} has no source", open_->name));
    if (!says("reads") && !says("like"))
      return lacks(fmt::format("the profile {} does not say what reads see: reads = …", open_->name));
    if (const std::string_view why = contradiction(*open_); !why.empty())
      return lacks(fmt::format("the profile {}: {}", open_->name, why));
    done_.push_back(*std::move(open_));
    open_.reset();
    return std::nullopt;
  }

  std::string_view rest_, line_;
  const std::string& file_;
  std::uint64_t number_ = 0, header_line_ = 0;
  std::optional<Profile> open_;
  unsigned seen_ = 0;  // bit i: kFields[i]
  std::vector<Profile> done_;
};

}  // namespace

Result<std::vector<Profile>> read_profiles(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

std::string profile_text(const Profile& p) {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format(
      "[{}]\nsource = {}\nreads = {}\nsnapshot-at = {}\nsnapshot-gathered = {}\nrows-since-begin = {}\n"
      "locking-reads-see-latest = {}\nwrite-locks = {}\n"
      "read-locks = {}\nfirst-updater-wins = {}\ncertifier = {}\n",
      p.name, p.source, word_of(kReads, p.reads), word_of(kSnapshotAt, p.snapshot_at), yes(p.snapshot_gathered),
      yes(p.rows_since_begin), yes(p.locking_reads_see_latest), yes(p.write_locks), yes(p.read_locks),
      yes(p.first_updater_wins), word_of(kCertifiers, p.certifier));
}

}  // namespace isolde::mirror
