#include "format/text.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/ascii.h"
#include "format/grouped_ops.h"
#include "format/register_output.h"
#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

struct Dialect {
  bool negative_numbers;
  bool aborted;
  bool zero_writes;
};
constexpr Dialect kAny{.negative_numbers = true, .aborted = true, .zero_writes = true};
constexpr Dialect kPolysi{.negative_numbers = false, .aborted = false, .zero_writes = true};
constexpr Dialect kPlume{.negative_numbers = true, .aborted = true, .zero_writes = false};
constexpr Dialect kAwdit{.negative_numbers = false, .aborted = true, .zero_writes = true};

class TextReader {
 public:
  TextReader(const Source& source, const ReadOptions& options, const Dialect& dialect)
      : lines_(source.files[0]), options_(options), dialect_(dialect) {
    builder_.set_default_initial(builder_.values().integer(0));
  }

  Result<ReadResult> run() {
    std::vector<std::string> notes;
    while (lines_.next()) {
      Op op{};
      if (parse_plain(op)) {
        if (auto wrong = add(op)) return *std::move(wrong);
      } else if (auto error = parse(op)) {
        if (!options_.lenient || !lines_.may_be_cut()) return *std::move(error);
        notes.push_back(dropped_line_note(lines_));
      } else if (auto wrong = add(op)) {
        return *std::move(wrong);
      }
    }
    ops_.emit(builder_, [this](std::uint32_t t) {
      builder_.begin_txn(txns_[t].session);
      builder_.set_id(txns_[t].id);
      if (txns_[t].aborted) builder_.set_status(Status::kAborted);
    });
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    if (ignored_ > 0) notes.push_back(fmt::format("left out {} writes of 0, as Plume does", ignored_));
    return ReadResult{*std::move(history), std::move(notes)};
  }

 private:
  struct Op {
    bool is_read;
    WideInteger key, value, session, txn;
  };
  struct Txn {
    ValueId id;
    SessionId session;
    bool aborted;
  };

  // The quick way: r(1,2,3,4) without blanks, non-negative numbers of up to 18 digits. False: the line takes the
  // general way, from its start.
  bool parse_plain(Op& op) const {
    const std::string_view line = lines_.line();
    if (line.size() < 10 || line[1] != '(' || line.back() != ')' || (line[0] != 'r' && line[0] != 'w')) return false;
    op.is_read = line[0] == 'r';
    WideInteger* const fields[] = {&op.key, &op.value, &op.session, &op.txn};
    const char* at = line.data() + 2;  // the ')' at the end of the line ends every number
    for (int i = 0; i < 4; ++i) {
      const char* const first = at;
      std::uint64_t number = 0;
      while (is_digit(*at)) number = number * 10 + static_cast<std::uint64_t>(*at++ - '0');
      if (at == first || at - first > 18 || *at != (i == 3 ? ')' : ',')) return false;
      ++at;
      *fields[i] = WideInteger{.magnitude = number};
    }
    return at == line.data() + line.size();
  }

  std::optional<Error> parse(Op& op) {
    op.is_read = lines_.take('r');
    if (!op.is_read && !lines_.take('w')) {
      return lines_.error("expected r(key,value,session,txn) or w(key,value,session,txn)");
    }
    static constexpr const char* kFields[] = {"the key", "the value", "the session", "the transaction"};
    WideInteger* const fields[] = {&op.key, &op.value, &op.session, &op.txn};
    for (int i = 0; i < 4; ++i) {
      if (!lines_.take(i == 0 ? '(' : ',')) {
        return lines_.error(fmt::format("expected '{}' before {}", i == 0 ? '(' : ',', kFields[i]));
      }
      lines_.skip_blanks();
      const std::size_t column = lines_.column();
      const auto number = lines_.integer();
      if (!number) return lines_.error(fmt::format("expected {}, a 64-bit integer", kFields[i]));
      if (number->negative && i == 3 && (!dialect_.aborted || number->magnitude != 1)) {
        return lines_.error_at(dialect_.aborted
                                   ? "expected a transaction number, or -1 for an aborted operation"
                                   : "expected a transaction number: this dialect has no aborted operations",
                               column);
      }
      if (number->negative && i < 3 && !dialect_.negative_numbers) {
        return lines_.error_at(fmt::format("expected {}, which is not negative in this dialect", kFields[i]), column);
      }
      *fields[i] = *number;
    }
    if (!lines_.take(')')) return lines_.error("expected ')' after the transaction");
    if (!lines_.at_end()) return lines_.error("expected the end of the line after the operation");
    return std::nullopt;
  }

  std::optional<Error> add(const Op& op) {
    const auto& [is_read, key, value, session, txn] = op;
    ValueInterner& values = builder_.values();
    const SessionId session_id = builder_.session(session.value(values));
    if (raw(session_id) >= open_aborted_.size()) open_aborted_.resize(raw(session_id) + 1, kNone32);
    std::uint32_t place = 0;
    if (txn.negative) {
      place = open_aborted_[raw(session_id)];
      if (place == kNone32) {
        place = new_txn(values.integer(-++aborted_), session_id, true);
        open_aborted_[raw(session_id)] = place;
      }
    } else {
      open_aborted_[raw(session_id)] = kNone32;
      place = place_of_txn(txn, session_id);
      if (txns_[place].session != session_id) {
        return lines_.error_at_start(fmt::format("expected session {}: transaction {} began there",
                                                 values.table().json(session_name_[raw(txns_[place].session)]),
                                                 txn.magnitude));
      }
    }
    if (raw(session_id) >= session_name_.size()) session_name_.push_back(session.value(values));
    if (!is_read && value.magnitude == 0 && !dialect_.zero_writes) {
      ++ignored_;
      return std::nullopt;
    }
    ops_.add(place, is_read ? OpKind::kRead : OpKind::kWrite, builder_.key(key.value(values)), value.value(values));
    return std::nullopt;
  }

  // Operations of a transaction mostly come one after the other: only the first one looks it up.
  std::uint32_t place_of_txn(const WideInteger& txn, SessionId session) {
    if (last_place_ != kNone32 && last_txn_ == txn.magnitude) return last_place_;
    const auto [at, is_new] = places_.try_emplace(txn.magnitude, 0);
    if (is_new) at->second = new_txn(txn.value(builder_.values()), session, false);
    last_txn_ = txn.magnitude;
    last_place_ = at->second;
    return last_place_;
  }

  std::uint32_t new_txn(ValueId id, SessionId session, bool aborted) {
    txns_.push_back({id, session, aborted});
    return ops_.add_txn();
  }

  TextLines lines_;
  const ReadOptions& options_;
  const Dialect& dialect_;
  HistoryBuilder builder_;
  GroupedOps ops_;
  std::vector<Txn> txns_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::uint64_t last_txn_ = 0;  // the transaction looked up last, if last_place_ is one
  std::uint32_t last_place_ = kNone32;
  std::vector<std::uint32_t> open_aborted_;  // per session: its aborted transaction that may go on
  std::vector<ValueId> session_name_;
  std::int64_t aborted_ = 0;
  std::uint64_t ignored_ = 0;
};

template <const Dialect& kDialect>
Result<ReadResult> read_text(const Source& source, const ReadOptions& options) {
  return TextReader(source, options, kDialect).run();
}

bool recognise_text(const Source& source) {
  std::string_view line = first_line_of(source.files[0].bytes.substr(0, 4096));
  if (!line.starts_with("r(") && !line.starts_with("w(")) return false;
  line.remove_prefix(2);
  return take_integer(line) && line.starts_with(',');
}

bool never(const Source& /*source*/) { return false; }

// The history as the lines of the format, with everything numbered that is no non-negative integer.
class TextWriter {
 public:
  TextWriter(const History& h, Output& output)
      : h_(h), sink_(output.file("")), keys_(h.values()), values_(h.values()), sessions_(h.values()), ids_(h.values()) {
    values_.reserve_zero();
  }

  WriteResult run() {
    const std::vector<bool> counts = effective(h_);
    const HistoryColumns& c = h_.columns();
    for (const ValueId name : c.key_name) keys_.add(name);
    for (const ValueId name : c.session_name) sessions_.add(name);
    for (const ValueId value : c.op_value) values_.add(value);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (counts[t]) ids_.add(c.id[t]);
    }
    std::vector<bool> aborted_before(h_.session_count(), false);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const TxnId txn{t};
      if (!has_registers(txn)) {
        ++empty_;
        continue;
      }
      if (h_.status(txn) == Status::kUnknown) ++(counts[t] ? unknown_seen_ : unknown_left_out_);
      if (h_.status(txn) == Status::kUnknown && !counts[t]) continue;
      const bool aborted = h_.status(txn) == Status::kAborted;
      if (aborted) {
        ++aborted_;
        if (as_signed(h_.values(), c.id[t]) != -aborted_) renamed_aborted_ = true;
        if (aborted_before[raw(h_.session(txn))]) merged_aborted_ = true;
      }
      aborted_before[raw(h_.session(txn))] = aborted;
      write_txn(txn, aborted);
    }
    return WriteResult{lost(), transactions_, operations_};
  }

 private:
  [[nodiscard]] bool is_register(std::uint32_t op) const { return h_.op(op).is_read_or_write(); }
  [[nodiscard]] bool has_registers(TxnId txn) const {
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      if (is_register(i)) return true;
    }
    return false;
  }

  void write_txn(TxnId txn, bool aborted) {
    const std::uint64_t session = sessions_(h_.columns().session_name[raw(h_.session(txn))]);
    const std::string id = aborted ? "-1" : fmt::format("{}", ids_(h_.columns().id[raw(txn)]));
    text_.clear();
    ++transactions_;
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      if (!is_register(i)) continue;
      ++operations_;
      const KeyId key = h_.op(i).key();
      const ValueId value = h_.op_value(i);
      const std::uint64_t number = value == h_.initial(key) ? 0 : values_(value);
      if (value == h_.initial(key) && as_unsigned(h_.values(), value) != 0) initial_moved_ = true;
      fmt::format_to(std::back_inserter(text_), "{}({},{},{},{})\n", h_.op(i).kind() == OpKind::kRead ? 'r' : 'w',
                     keys_(h_.columns().key_name[raw(key)]), number, session, id);
    }
    sink_.write(text_);
  }

  Lost lost() {
    Lost lost;
    const auto numbered = [&lost](const Numbering& numbering, const char* what) {
      if (numbering.given() == 0) return;
      lost.push_back(fmt::format("{} {} that were numbered, such as {}", numbering.given(), what, numbering.example()));
    };
    numbered(keys_, "keys");
    numbered(values_, "values");
    numbered(sessions_, "sessions");
    numbered(ids_, "transaction ids");
    if (initial_moved_ || as_unsigned(h_.values(), h_.default_initial()) != 0 || !h_.columns().key_initial.empty()) {
      lost.emplace_back("initial values: they are written as 0");
    }
    if (empty_ > 0) lost.push_back(fmt::format("{} transactions without operations", empty_));
    if (unknown_seen_ > 0) lost.push_back(fmt::format("that {} seen transactions have unknown status", unknown_seen_));
    if (unknown_left_out_ > 0) {
      lost.push_back(fmt::format("{} transactions of unknown status that no other transaction saw", unknown_left_out_));
    }
    if (renamed_aborted_) lost.emplace_back("the ids of aborted transactions");
    if (merged_aborted_) lost.emplace_back("where one aborted transaction of a session ends and the next begins");
    note_uncarried(h_, kTextFormat, lost);
    return lost;
  }

  const History& h_;
  ByteSink& sink_;
  Numbering keys_, values_, sessions_, ids_;
  std::string text_;
  std::int64_t aborted_ = 0;
  std::uint64_t transactions_ = 0, operations_ = 0;
  std::uint64_t empty_ = 0, unknown_seen_ = 0, unknown_left_out_ = 0;
  bool renamed_aborted_ = false, merged_aborted_ = false, initial_moved_ = false;
};

Result<WriteResult> write_text(const History& history, Output& output) { return TextWriter(history, output).run(); }

std::uint64_t unfit_for_text(const History& h, HistoryContent content) {
  // Who was seen is certain only if nobody else wrote the same.
  if (content == HistoryContent::kUnknown) return repeats_of(h).empty() ? 0 : unknown_and_seen(h);
  return 0;
}

}  // namespace

constinit const FormatInfo kTextFormat{.name = "text",
                                       .summary = "r(key,value,session,txn) lines of PolySI, Plume, IsoVista and AWDIT",
                                       .extension = ".txt",
                                       .is_folder = false,
                                       .recognise = recognise_text,
                                       .read = read_text<kAny>,
                                       .write = write_text,
                                       .writer = Writer::kText,
                                       .unfit = unfit_for_text};
constinit const FormatInfo kTextPolysiFormat{.name = "text-polysi",
                                             .summary = "text as PolySI reads it: no aborted operations",
                                             .extension = "",
                                             .is_folder = false,
                                             .recognise = never,
                                             .read = read_text<kPolysi>,
                                             .write = nullptr};
constinit const FormatInfo kTextPlumeFormat{.name = "text-plume",
                                            .summary = "text as Plume reads it: writes of 0 are left out",
                                            .extension = "",
                                            .is_folder = false,
                                            .recognise = never,
                                            .read = read_text<kPlume>,
                                            .write = nullptr};
constinit const FormatInfo kTextAwditFormat{.name = "text-awdit",
                                            .summary = "text as AWDIT reads it: no negative numbers but -1",
                                            .extension = "",
                                            .is_folder = false,
                                            .recognise = never,
                                            .read = read_text<kAwdit>,
                                            .write = nullptr};

}  // namespace isolde
