// Two passes: which keys can be judged is known only when every line was read.
#include "format/proxy_values.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/lock_order.h"
#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

using ValuesJson = simdjson::dom::element;

struct ValueRow {
  char kind = 'r';
  std::uint32_t key = 0;
  ValueId value = kNullValue;
  std::int64_t before = kNoTime, after = kNoTime;
};

struct ValueTxn {
  std::int64_t session = 0;
  Status status = Status::kCommitted;
  bool sure = true;
  std::int64_t begin = kNoTime, commit_sent = kNoTime, commit_answered = kNoTime;
  std::vector<ValueRow> rows;
};

struct ValueKey {
  std::string name, table, column;
  bool unknown_writer = false;
  bool has_first = false;
  ValueId first = kNullValue;
  std::vector<ValueId> written = {}, unwritten = {};  // what was read and nobody wrote
  bool read = false;
};

class ValuesReader {
 public:
  explicit ValuesReader(const Source& source) : source_(source) {}

  Result<ReadResult> run() {
    if (auto error = read_lines()) return *std::move(error);
    if (!over_) leave_out_beyond_horizon();
    find_keys();
    for (std::uint32_t t = 0; t < txns_.size(); ++t) add(t);
    add_orders();
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), notes()};
  }

 private:
  std::optional<Error> read_lines() {
    TextLines lines(source_.files[0]);
    while (lines.next()) {
      if (lines.line().empty()) continue;
      ValuesJson json;
      const bool good = parser_.parse(lines.line().data(), lines.line().size()).get(json) == simdjson::SUCCESS &&
                        take_line(json, lines.number() == 1);
      if (good) continue;
      if (lines.may_be_cut() && lines.number() > 1) {
        over_ = false;
        continue;
      }
      return Error{lines.number() == 1 ? R"(expected {"isolde-proxy-values":1,…})"
                                       : "expected a line of a proxy's trace of values",
                   source_.files[0].name, lines.number(), 1};
    }
    return std::nullopt;
  }

  bool take_line(ValuesJson json, bool first) {
    std::int64_t number = 0;
    if (first) return !json["isolde-proxy-values"].get(number) && number == 1;
    if (!json["over"].get(number)) return over_ = true;
    if (!json["horizon"].get(number)) return horizon_ = number, true;
    simdjson::dom::array names;
    if (!json["touched"].get(names)) return take_touched(names);
    if (!json["row"].get(names)) return take_first(names, json);
    return take_txn(json);
  }

  bool take_touched(simdjson::dom::array names) {
    std::string_view table, column;
    if (names.size() < 1 || names.at(0).get(table)) return false;
    if (names.size() > 1 && names.at(1).get(column)) return false;
    touched_.emplace(table, column);
    return true;
  }

  bool take_first(simdjson::dom::array names, ValuesJson json) {
    std::string_view table, row;
    simdjson::dom::object cells;
    if (names.size() != 2 || names.at(0).get(table) || names.at(1).get(row) || json["cells"].get(cells)) return false;
    for (const auto& [column, cell] : cells) {
      ValueKey& key = keys_[key_number(table, row, column)];
      key.has_first = true;
      if (!take_value(cell, key.first)) return false;
    }
    return true;
  }

  // No row is absence; NULL is a value of its own.
  bool take_value(ValuesJson json, ValueId& to) {
    std::int64_t number = 0;
    std::string_view text;
    bool truth = true;
    if (!json.get(number)) return to = builder_.values().integer(number), true;
    if (!json.get(text))
      return to = builder_.values().string(text == "NULL" || text.starts_with('\'') ? fmt::format("'{}'", text)
                                                                                    : std::string(text)),
             true;
    if (json.is_null()) return to = builder_.values().string("NULL"), true;
    to = kNullValue;
    return !json.get(truth) && !truth;
  }

  bool take_txn(ValuesJson json) {
    ValueTxn txn;
    std::string_view status;
    simdjson::dom::array commit, ops;
    if (json["s"].get(txn.session) || json["st"].get(status) || json["b"].get(txn.begin) || json["ops"].get(ops))
      return false;
    if (status == "aborted") {
      txn.status = Status::kAborted;
    } else if (status == "unknown") {
      txn.status = Status::kUnknown;
    } else if (status != "committed") {
      return false;
    }
    bool sure = true;
    if (!json["sure"].get(sure)) txn.sure = sure;
    if (json["c"].get(commit) || commit.size() != 2 || commit.at(0).get(txn.commit_sent)) return false;
    if (txn.status != Status::kUnknown && commit.at(1).get(txn.commit_answered)) return false;
    for (const ValuesJson op : ops) {
      simdjson::dom::array parts;
      ValueRow row;
      if (op.get(parts) || !take_row(parts, row)) return false;
      txn.rows.push_back(row);
    }
    txns_.push_back(std::move(txn));
    return true;
  }

  bool take_row(simdjson::dom::array parts, ValueRow& row) {
    std::string_view kind, table, key, column;
    if (parts.size() != 7 || parts.at(0).get(kind) || parts.at(1).get(table) || parts.at(2).get(key) ||
        parts.at(3).get(column) || parts.at(5).get(row.before) || parts.at(6).get(row.after))
      return false;
    if (kind.size() != 1 || std::string_view("rlswu").find(kind[0]) == std::string_view::npos) return false;
    row.kind = kind[0];
    row.key = key_number(table, key, column);
    ValuesJson value;
    return !parts.at(4).get(value) && (row.kind == 'u' || take_value(value, row.value));
  }

  std::uint32_t key_number(std::string_view table, std::string_view row, std::string_view column) {
    std::string name = fmt::format("{}/{}.{}", table, row, column);
    const auto [at, fresh] = key_numbers_.try_emplace(name, static_cast<std::uint32_t>(keys_.size()));
    if (fresh) keys_.push_back({.name = std::move(name), .table = std::string(table), .column = std::string(column)});
    return at->second;
  }

  // After a kill: what was open then is missing. It began at the horizon or later, so whatever was answered before that
  // cannot have read it.
  void leave_out_beyond_horizon() {
    const std::size_t before = txns_.size();
    std::erase_if(txns_, [&](const ValueTxn& txn) { return txn.begin >= horizon_; });
    cut_ = before - txns_.size();
    for (ValueTxn& txn : txns_) {
      std::erase_if(txn.rows,
                    [&](const ValueRow& row) { return row.kind != 'w' && row.kind != 'u' && row.after >= horizon_; });
    }
  }

  void find_keys() {
    for (const ValueTxn& txn : txns_) {
      for (const ValueRow& row : txn.rows) {
        ValueKey& key = keys_[row.key];
        if (row.kind == 'u' || (row.kind == 'w' && !txn.sure)) key.unknown_writer = true;
        if (row.kind == 'w') key.written.push_back(row.value);
      }
    }
    for (ValueKey& key : keys_) {
      key.unknown_writer = key.unknown_writer || touched_.contains({key.table, std::string()}) ||
                           touched_.contains({key.table, key.column});
      std::sort(key.written.begin(), key.written.end());
    }
    for (const ValueTxn& txn : txns_) {
      if (!txn.sure) continue;
      for (const ValueRow& row : txn.rows) {
        ValueKey& key = keys_[row.key];
        if (row.kind == 'w' || row.kind == 'u') continue;
        key.read = true;
        if (!std::binary_search(key.written.begin(), key.written.end(), row.value)) key.unwritten.push_back(row.value);
      }
    }
    for (ValueKey& key : keys_) find_first(key);
  }

  void find_first(ValueKey& key) {
    std::sort(key.unwritten.begin(), key.unwritten.end());
    key.unwritten.erase(std::unique(key.unwritten.begin(), key.unwritten.end()), key.unwritten.end());
    // What nobody wrote is what was there at first, if it is one value.
    if (!key.has_first && key.unwritten.size() == 1) {
      key.has_first = true;
      key.first = key.unwritten[0];
    }
    const bool strange =
        std::any_of(key.unwritten.begin(), key.unwritten.end(), [&](ValueId v) { return v != key.first; });
    if (!key.unknown_writer && strange) {
      key.unknown_writer = true;
      ++strange_keys_;
    } else if (key.unknown_writer) {
      ++unknown_keys_;
    } else if (key.has_first) {
      builder_.set_initial(builder_.key(key.name), key.first);
    } else if (key.read) {
      ++no_first_;
    }
  }

  void add(std::uint32_t t) {
    const ValueTxn& txn = txns_[t];
    if (!txn.sure) return;
    builder_.begin_txn(builder_.session(txn.session));
    builder_.set_id(builder_.values().integer(t));
    builder_.set_status(txn.status);
    builder_.set_begin(txn.begin);
    if (txn.status != Status::kUnknown) builder_.set_end(txn.commit_answered);
    if (txn.status != Status::kAborted) builder_.set_commit(txn.commit_sent, txn.commit_answered);
    for (const ValueRow& row : txn.rows) {
      const ValueKey& key = keys_[row.key];
      if (key.unknown_writer) {
        ++left_out_;
        continue;
      }
      if (row.kind == 'w') {
        builder_.write(builder_.key(key.name), row.value);
      } else if (key.has_first) {
        builder_.read(builder_.key(key.name), row.value,
                      row.kind == 'l'   ? Lock::kUpdate
                      : row.kind == 's' ? Lock::kShare
                                        : Lock::kNone);
      } else {
        ++left_out_;
        continue;
      }
      if (row.after >= row.before) builder_.at(row.before, row.after);
    }
    builder_.end_txn();
  }

  void add_orders() {
    std::map<std::uint32_t, std::vector<LockedWriter>> writers;
    for (std::uint32_t t = 0; t < txns_.size(); ++t) {
      const ValueTxn& txn = txns_[t];
      if (txn.status == Status::kAborted || !txn.sure) continue;
      for (const ValueRow& row : txn.rows) {
        if (row.kind != 'w' || keys_[row.key].unknown_writer) continue;
        auto& all = writers[row.key];
        if (!all.empty() && all.back().txn == t) continue;  // its first write is when it got the lock
        all.push_back({row.after >= row.before ? row.after : INT64_MAX, txn.commit_sent, t});
      }
    }
    for (auto& [key, all] : writers) {
      if (all.size() < 2) continue;
      const LockOrder found = lock_order(all);
      unordered_ += found.unordered;
      std::vector<ValueId> order;
      for (const std::uint32_t t : found.txns) order.push_back(builder_.values().integer(t));
      if (order.size() > 1 || found.unordered == 0)
        builder_.version_order_by_txn(builder_.key(keys_[key].name), order, found.unordered == 0);
    }
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    out.emplace_back("by values: taken as given that all that writes these tables came through the proxy");
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) out.push_back(fmt::format("{} {}", count, what));
    };
    note(unknown_keys_, "keys left out: something wrote them, or may have, with a value that is not known");
    note(strange_keys_, "keys left out: a value was read of them that nobody wrote");
    note(no_first_, "keys whose reads are left out: what they held at first is not known");
    note(left_out_, "reads and writes left out with them");
    note(unordered_, "writes have no place in their key's version order: their statements overlapped");
    if (!over_) out.emplace_back("the recording was not ended in order");
    note(cut_, "transactions at the end left out: others that ran beside them may be missing");
    return out;
  }

  const Source& source_;
  HistoryBuilder builder_;
  simdjson::dom::parser parser_;
  std::vector<ValueKey> keys_;
  std::unordered_map<std::string, std::uint32_t> key_numbers_;
  std::vector<ValueTxn> txns_;
  std::set<std::pair<std::string, std::string>> touched_;
  bool over_ = false;
  std::int64_t horizon_ = INT64_MIN;
  std::uint64_t unknown_keys_ = 0, strange_keys_ = 0, no_first_ = 0, left_out_ = 0, unordered_ = 0, cut_ = 0;
};

bool recognise_proxy_values(const Source& source) {
  return !source.is_folder && !source.files.empty() && source.files[0].bytes.starts_with(R"({"isolde-proxy-values")");
}

Result<ReadResult> read_proxy_values(const Source& source, const ReadOptions&) { return ValuesReader(source).run(); }

}  // namespace

constinit const FormatInfo kProxyValuesFormat{
    .name = "proxy-values",
    .summary = "what `isolde proxy` writes while it records by values (.wire)",
    .extension = "",
    .recognise = recognise_proxy_values,
    .read = read_proxy_values,
    .write = nullptr};

}  // namespace isolde
