#include "cli/watch_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "check/accesses.h"
#include "report/page/json_text.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kMostMembers = 12, kMostStepsDrawn = 24, kMostOperations = 16;

// Keys and ids come as JSON, or without its quotes.
std::string plain(std::string_view json) {
  const bool quoted = json.size() >= 2 && json.front() == '"' && json.back() == '"';
  if (quoted && json.find('\\') == std::string_view::npos) json = json.substr(1, json.size() - 2);
  return std::string(json);
}

std::string id_shown(const std::string& id) {
  const bool number = !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
  return number ? "T" + id : words::shortened(id, kLongestName);
}

std::string key_shown(const OnlineStep& step) { return words::shortened(plain(step.key), kLongestName); }

// What the dependency says its two ends did to the key: 'r' or 'w'; 0: it is about no operation.
std::pair<char, char> ends_of(StepType type) {
  switch (type) {
    case StepType::kWw:
      return {'w', 'w'};
    case StepType::kWr:
      return {'w', 'r'};
    case StepType::kRw:
      return {'r', 'w'};
    default:
      return {0, 0};
  }
}

std::string step_text(StepType type, const std::string& from, const std::string& to, const std::string& key) {
  const std::string of_key = key.empty() ? std::string() : fmt::format(" ({})", key);
  switch (type) {
    case StepType::kWw:
      return fmt::format("{} overwrote what {} wrote{}", to, from, of_key);
    case StepType::kWr:
      return fmt::format("{} read what {} wrote{}", to, from, of_key);
    case StepType::kRw:
      return fmt::format("{} overwrote what {} read{}", to, from, of_key);
    case StepType::kSession:
      return fmt::format("{} comes before {} in one session", from, to);
    case StepType::kRealtime:
      return fmt::format("by the clients' clocks {} comes before {}", from, to);
    case StepType::kVisible:
      return fmt::format("{} had committed when {} took its snapshot", from, to);
    case StepType::kInvisible:
      return fmt::format("{} took its snapshot before {} committed", from, to);
    case StepType::kCommit:
      return fmt::format("{} committed before {}", from, to);
    case StepType::kOrder:
    case StepType::kProgram:
      break;
  }
  return fmt::format("{} comes before {}", from, to);
}

struct Ends {
  std::uint32_t from, to;                       // places of transactions
  std::optional<std::uint32_t> from_op, to_op;  // places of operations
};

std::string step_json(const OnlineViolation& v, const OnlineStep& step, const Ends& ends) {
  const std::string key = key_shown(step);
  PageObject out;
  out.number("from", ends.from).number("to", ends.to).text("type", name(step.type));
  if (!key.empty()) out.text("key", key);
  if (ends.from_op) out.number("from_op", *ends.from_op);
  if (ends.to_op) out.number("to_op", *ends.to_op);
  return out
      .text("text", step_text(step.type, id_shown(plain(v.transactions[step.from])),
                              id_shown(plain(v.transactions[step.to])), key))
      .done();
}

bool can_be_drawn(const OnlineViolation& v) {
  if (v.steps.empty() || v.steps.size() > kMostStepsDrawn || v.transactions.size() > kMostMembers) return false;
  return std::ranges::all_of(v.steps, [&](const OnlineStep& step) {
    return step.from < v.transactions.size() && step.to < v.transactions.size();
  });
}

// The read that the violation is about, else the first of the key; the last write of it.
OpId op_of(const History& h, TxnId t, char kind, const std::string& key, const std::string& read) {
  OpId found = kNoOp;
  bool is_it = false;
  for_each_access(h, t, [&](const Access& a) {
    if ((a.kind == OpKind::kRead) != (kind == 'r') || is_it || plain(h.key_text(a.key)) != key) return;
    is_it = kind == 'r' && !read.empty() && h.value_text(a.value) == read;
    if (is_it || kind == 'w' || found == kNoOp) found = OpId{a.op};
  });
  return found;
}

}  // namespace

WatchPictures::WatchPictures(std::span<const OnlineViolation> violations, const History* recorded)
    : pictures_(violations.size()), options_{.version = {}, .most_operations = kMostOperations} {
  if (recorded != nullptr) {
    shown_.emplace(*recorded, options_);
    draw_recorded(violations);
    return;
  }
  for (std::size_t i = 0; i < violations.size(); ++i) {
    if (can_be_drawn(violations[i])) draw_named(violations[i], pictures_[i]);
  }
}

void WatchPictures::draw_named(const OnlineViolation& v, Picture& picture) {
  struct Operation {
    char kind;
    std::string key;
    bool operator==(const Operation&) const = default;
  };
  std::vector<std::vector<Operation>> operations(v.transactions.size());
  const auto place_of = [&](std::uint32_t who, char kind, const std::string& key) -> std::optional<std::uint32_t> {
    if (kind == 0 || key.empty()) return std::nullopt;
    auto& own = operations[who];
    const Operation operation{kind, key};
    const auto found = std::ranges::find(own, operation);
    const auto place = static_cast<std::uint32_t>(found - own.begin());
    if (found == own.end()) own.push_back(operation);
    return place;
  };
  const auto first = static_cast<std::uint32_t>(named_.size());
  std::vector<std::string> steps;
  for (const OnlineStep& step : v.steps) {
    const auto [from, to] = ends_of(step.type);
    const std::string key = key_shown(step);
    steps.push_back(step_json(
        v, step, {first + step.from, first + step.to, place_of(step.from, from, key), place_of(step.to, to, key)}));
  }
  const std::string about = words::shortened(plain(v.key), kLongestName);
  for (std::uint32_t i = 0; i < v.transactions.size(); ++i) {
    picture.transactions.push_back(first + i);
    const std::string ops = page_list(operations[i], [&](const Operation& one) {
      // What the guilty one read is known; of the others, only that they wrote.
      const bool is_read = one.kind == 'r' && i == 0 && one.key == about && !v.read.empty();
      return PageObject()
          .text("kind", std::string_view(&one.kind, 1))
          .text("key", one.key)
          .text("text", one.kind == 'w' ? "wrote " + one.key
                        : is_read       ? fmt::format("read {} = {}", one.key, words::shortened(v.read))
                                        : "read " + one.key)
          .done();
    });
    named_.push_back(PageObject()
                         .text("id", id_shown(plain(v.transactions[i])))
                         .text("session", "")
                         .text("status", v.kind == AnomalyKind::kG1a && i > 0 ? "aborted" : "committed")
                         .raw("ops", ops)
                         .done());
  }
  picture.steps = page_list(steps);
}

void WatchPictures::draw_recorded(std::span<const OnlineViolation> violations) {
  const History& h = shown_->history();
  std::unordered_map<std::string, TxnId> by_id;
  for (const OnlineViolation& v : violations) {
    if (!can_be_drawn(v)) continue;
    for (const std::string& id : v.transactions) by_id.emplace(plain(id), kNoTxn);
  }
  if (by_id.empty()) return;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const auto found = by_id.find(plain(h.txn_text(TxnId{t})));
    if (found != by_id.end()) found->second = TxnId{t};
  }
  struct Drawn {
    std::size_t violation;
    std::vector<std::pair<OpId, OpId>> ops;  // of each step
  };
  // Places of operations are known only when all are named.
  std::vector<Drawn> drawn;
  const auto txn_of = [&](const OnlineViolation& v, std::uint32_t place) {
    return by_id.at(plain(v.transactions[place]));
  };
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const OnlineViolation& v = violations[i];
    if (!can_be_drawn(v)) continue;
    bool all = true;
    for (std::uint32_t place = 0; place < v.transactions.size(); ++place) all = all && txn_of(v, place) != kNoTxn;
    if (!all) continue;
    Drawn one{i, {}};
    for (std::uint32_t place = 0; place < v.transactions.size(); ++place)
      pictures_[i].transactions.push_back(shown_->transaction(txn_of(v, place)));
    for (const OnlineStep& step : v.steps) {
      const auto [from, to] = ends_of(step.type);
      const std::string key = plain(step.key);
      const auto look = [&](std::uint32_t place, char kind) {
        if (kind == 0 || key.empty()) return kNoOp;
        const OpId op = op_of(h, txn_of(v, place), kind, key, place == 0 && step.key == v.key ? v.read : "");
        shown_->want(op);
        return op;
      };
      const OpId from_op = look(step.from, from);
      one.ops.emplace_back(from_op, look(step.to, to));
    }
    drawn.push_back(std::move(one));
  }
  const auto place_of = [&](OpId op) {
    return op == kNoOp ? std::nullopt : std::optional<std::uint32_t>(shown_->operation(op));
  };
  for (const Drawn& one : drawn) {
    const OnlineViolation& v = violations[one.violation];
    std::vector<std::string> steps;
    for (std::size_t k = 0; k < v.steps.size(); ++k) {
      const OnlineStep& step = v.steps[k];
      steps.push_back(step_json(v, step,
                                {shown_->transaction(txn_of(v, step.from)), shown_->transaction(txn_of(v, step.to)),
                                 place_of(one.ops[k].first), place_of(one.ops[k].second)}));
    }
    pictures_[one.violation].steps = page_list(steps);
  }
}

std::string WatchPictures::transactions_json() { return shown_ ? shown_->transactions_json() : page_list(named_); }

}  // namespace isolde::cli
