#include "format/timekiller.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "format/grouped_ops.h"
#include "format/json_document.h"
#include "format/timekiller_fast.h"
#include "format/timekiller_write.h"
#include "format/unknown_fields.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;
using Fault = std::optional<JsonFault>;

constexpr std::string_view kTimekillerFields[] = {"tid", "sid", "sno", "sts", "cts", "ops", "rtts"};
constexpr std::string_view kTimestampFields[] = {"p", "l"};
constexpr std::string_view kTimekillerOpFields[] = {"t", "k", "v"};

struct Hybrid {
  std::uint64_t p = 0, l = 0;
  bool known = false;
};

class TimekillerReader {
 public:
  TimekillerReader(const Source& source, const ReadOptions& options)
      : file_(source.files[0]),
        options_(options),
        json_(file_.name, 1),
        unknown_(options.lenient ? UnknownFields::Stance::kIgnore : UnknownFields::Stance::kRefuse) {}

  // The quick way; nothing if the file needs the general one, which this reader can then no longer take.
  std::optional<ReadResult> run_plain() {
    const auto reached = [this](std::size_t offset) {
      if (file_.mapped != nullptr) file_.mapped->forget_before(offset);
      if (options_.progress != nullptr) options_.progress->advance("reading", offset, file_.bytes.size());
    };
    if (!add_plain_timekiller(file_.bytes, shift_, builder_, reached)) return std::nullopt;
    if (!options_.initial) hint_at_zero();
    auto history = builder_.finish();
    if (!history) return std::nullopt;
    return ReadResult{*std::move(history), std::move(notes_)};
  }

  Result<ReadResult> run() {
    std::string_view text = file_.bytes;
    std::optional<std::string> closed;
    if (options_.lenient) closed = close_cut_json(text, 1);
    if (closed) {
      text = *closed;
      notes_.emplace_back("the file is cut off: dropped what follows its last whole transaction");
    }
    if (auto error = json_.start(text, 1)) return *std::move(error);
    if (auto fault = transactions()) return json_.error(*fault);
    if (auto error = json_.expect_end()) return *std::move(error);
    if (!choose_shift()) {
      return json_.error_at(fmt::format("expected timestamps that fit 63 bits as p * 2^{} + l", shift_),
                            json_.at_offset(txns_[largest_].offset));
    }
    if (numbered_) sort_sessions();
    ops_.emit(builder_, [this](std::uint32_t t) { begin(txns_[t]); });
    if (!options_.initial) hint_at_zero();
    unknown_.add_note(notes_);
    auto history = builder_.finish();
    if (!history) {
      Error error = std::move(history).error();
      if (!builder_.faulty_txn()) return error;
      return json_.error_at(std::move(error.text), json_.at_offset(txns_[raw(*builder_.faulty_txn())].offset));
    }
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  struct Txn {
    ValueId id{}, session{};
    std::int64_t sno = kNoTime;
    Hybrid start, commit;
    std::size_t offset = 0;
  };

  Fault unknown_field(const JsonField& field, std::string_view where, std::span<const std::string_view> known) {
    std::string wrong = unknown_.wrong_with(field.name, where, known);
    if (wrong.empty()) return std::nullopt;
    return JsonFault{std::move(wrong), field.at};
  }

  // Whether keys hold 0 at first is not in the file. What the reads show is no proof, so it is said and not assumed.
  void hint_at_zero() {
    const OwnedColumns& c = builder_.columns();
    constexpr ValueId kZero{0};
    std::vector<bool> zero_written(c.key_name.size(), false);
    for (std::size_t i = 0; i < c.op.size(); ++i) {
      if (c.op[i].kind() == OpKind::kWrite && c.op_value[i] == kZero) zero_written[raw(c.op[i].key())] = true;
    }
    std::uint64_t zeros = 0;
    for (std::size_t i = 0; i < c.op.size(); ++i) {
      if (c.op[i].kind() != OpKind::kRead) continue;
      if (c.op_value[i] == kNullValue) return;
      if (c.op_value[i] == kZero && !zero_written[raw(c.op[i].key())]) ++zeros;
    }
    if (zeros == 0) return;
    notes_.push_back(fmt::format(
        "{} reads return 0, which no transaction wrote, and none returns null: if keys start at 0, use --initial 0",
        zeros));
  }

  Fault transactions() {
    od::array array;
    if (const auto code = json_.doc().get_array().get(array)) {
      return json_.root_fault(code, "expected an array of transactions");
    }
    for (auto element : array) {
      od::value value;
      if (const auto code = element.get(value)) return json_.fault(code);
      if (auto fault = transaction(value)) return fault;
    }
    return std::nullopt;
  }

  Fault transaction(od::value value) {
    Txn txn;
    const auto wrong = fault_at(R"(expected a transaction: {"tid","sid","sts","cts","ops"})", value);
    txn.offset = json_.offset_of(wrong.at);
    const std::uint32_t place = ops_.add_txn();
    bool has_id = false;
    bool has_session = false;
    bool has_ops = false;
    od::object object;
    if (value.get_object().get(object)) return wrong;
    for (auto field : object) {
      JsonField taken;
      if (const auto code = take_field(field, taken)) return json_.fault(code);
      od::value inner = taken.value;
      const bool is_id = taken.name == "tid";
      const bool is_session = taken.name == "sid";
      const bool is_start = taken.name == "sts";
      const bool is_commit = taken.name == "cts";
      const bool is_ops = taken.name == "ops";
      if (is_id || is_session) {
        if (auto fault = label(inner, is_id ? txn.id : txn.session)) return fault;
        (is_id ? has_id : has_session) = true;
      } else if (taken.name == "sno") {
        if (auto fault = session_number(inner, txn.sno)) return fault;
      } else if (is_start || is_commit) {
        if (auto fault = timestamp(inner, is_start ? txn.start : txn.commit)) return fault;
      } else if (is_ops) {
        if (auto fault = operations(inner, place)) return fault;
        has_ops = true;
      } else if (auto fault = unknown_field(taken, "a transaction", kTimekillerFields)) {
        return fault;
      }
    }
    if (!has_id || !has_session || !has_ops) {
      return JsonFault{fmt::format("expected the field \"{}\" in the transaction", !has_id        ? "tid"
                                                                                   : !has_session ? "sid"
                                                                                                  : "ops"),
                       wrong.at};
    }
    for (const Hybrid& time : {txn.start, txn.commit}) {
      if (time.p >= largest_p_ && time.known) largest_ = place;
      largest_p_ = std::max(largest_p_, time.p);
      largest_l_ = std::max(largest_l_, time.l);
    }
    txns_.push_back(txn);
    return std::nullopt;
  }

  // A transaction's or session's name: an integer or a string, as it is.
  Fault label(od::value value, ValueId& out) {
    const char* const at = place_of(value);
    od::json_type type{};
    if (value.type().get(type) || (type != od::json_type::number && type != od::json_type::string)) {
      return JsonFault{"expected an integer or a string", at};
    }
    if (auto fault = json_value(value, builder_.values(), out)) return JsonFault{fault->text, at};
    return std::nullopt;
  }

  Fault session_number(od::value value, std::int64_t& out) {
    const auto wrong = fault_at("expected \"sno\" to be an integer from 0 to 2^63 - 1", value);
    bool null = false;
    if (!value.is_null().get(null) && null) return std::nullopt;
    WideInteger number;
    if (auto fault = json_integer(value, "the number in its session", number)) return fault;
    if (number.negative || number.magnitude > std::uint64_t{INT64_MAX}) return wrong;
    out = static_cast<std::int64_t>(number.magnitude);
    numbered_ = true;
    return std::nullopt;
  }

  // The transactions of a session in which all have a number are put in the order of these, on the places that they
  // have in the file: as Chronos does, whatever order they were written down in.
  void sort_sessions() {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> sessions;
    for (std::uint32_t t = 0; t < txns_.size(); ++t) sessions[raw(txns_[t].session)].push_back(t);
    std::vector<std::uint32_t> to(txns_.size());
    for (const auto& [name, places] : sessions) {
      std::vector<std::uint32_t> in_order = places;
      const auto has_none = [this](std::uint32_t t) { return txns_[t].sno == kNoTime; };
      if (std::none_of(places.begin(), places.end(), has_none)) {
        std::stable_sort(in_order.begin(), in_order.end(),
                         [this](std::uint32_t a, std::uint32_t b) { return txns_[a].sno < txns_[b].sno; });
      }
      for (std::size_t i = 0; i < places.size(); ++i) to[in_order[i]] = places[i];
    }
    ops_.rearrange(to);
    std::vector<Txn> moved(txns_.size());
    for (std::uint32_t t = 0; t < txns_.size(); ++t) moved[to[t]] = txns_[t];
    txns_ = std::move(moved);
  }

  Fault timestamp(od::value value, Hybrid& out) {
    const auto wrong = fault_at(R"(expected a timestamp: {"p": integer, "l": integer})", value);
    bool null = false;
    if (!value.is_null().get(null) && null) return std::nullopt;
    od::object object;
    if (value.get_object().get(object)) return wrong;
    for (auto field : object) {
      JsonField taken;
      if (const auto code = take_field(field, taken)) return json_.fault(code);
      od::value inner = taken.value;
      const bool is_p = taken.name == "p";
      const bool is_l = taken.name == "l";
      if (!is_p && !is_l) {
        if (auto fault = unknown_field(taken, "a timestamp", kTimestampFields)) return fault;
        continue;
      }
      const auto negative = fault_at("expected a part of a timestamp, which is not negative", inner);
      WideInteger number;
      if (auto fault = json_integer(inner, "a part of the timestamp", number)) return fault;
      if (number.negative) return negative;
      (is_p ? out.p : out.l) = number.magnitude;
      if (is_p) out.known = true;
    }
    if (!out.known) return wrong;
    return std::nullopt;
  }

  Fault operations(od::value value, std::uint32_t place) {
    const auto wrong = fault_at("expected an array of operations", value);
    od::array array;
    if (value.get_array().get(array)) return wrong;
    for (auto element : array) {
      od::value op;
      if (const auto code = element.get(op)) return json_.fault(code);
      if (auto fault = operation(op, place)) return fault;
    }
    return std::nullopt;
  }

  Fault operation(od::value value, std::uint32_t place) {
    const auto wrong = fault_at(R"(expected an operation: {"t":"r|w|a","k":key,"v":value})", value);
    std::optional<OpKind> kind;
    std::optional<ValueId> key;
    ValueId operand = kNullValue;
    od::object object;
    if (value.get_object().get(object)) return wrong;
    for (auto field : object) {
      JsonField taken;
      if (const auto code = take_field(field, taken)) return json_.fault(code);
      od::value inner = taken.value;
      const char what = taken.name.size() == 1 ? taken.name[0] : ' ';
      if (what == 't') {
        const auto no_kind = fault_at("expected \"r\", \"read\", \"w\", \"write\", \"a\" or \"append\"", inner);
        std::string_view text;
        if (inner.get_string().get(text)) return no_kind;
        std::string word(text);
        for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (word == "r" || word == "read") {
          kind = OpKind::kRead;
        } else if (word == "w" || word == "write") {
          kind = OpKind::kWrite;
        } else if (word == "a" || word == "append") {
          kind = OpKind::kAppend;
        } else {
          return no_kind;
        }
      } else if (what == 'k') {
        ValueId id{};
        if (auto fault = json_integer_or_text(inner, "the key", builder_.values(), id)) return fault;
        key = id;
      } else if (what == 'v') {
        if (auto fault = operand_of(inner, operand)) return fault;
      } else if (auto fault = unknown_field(taken, "an operation", kTimekillerOpFields)) {
        return fault;
      }
    }
    if (!kind || !key) return wrong;
    if (*kind == OpKind::kAppend && operand == kNullValue) return JsonFault{"expected the element to append", wrong.at};
    ops_.add(place, *kind, builder_.key(*key), operand);
    return std::nullopt;
  }

  Fault operand_of(od::value value, ValueId& out) {
    od::json_type type{};
    if (const auto code = value.type().get(type)) return json_.fault(code);
    if (type == od::json_type::null) return json_value(value, builder_.values(), out);
    if (type != od::json_type::array) return json_integer_or_text(value, "the value", builder_.values(), out);
    od::array array;
    if (const auto code = value.get_array().get(array)) return json_.fault(code);
    std::vector<ValueId> elements;
    for (auto element : array) {
      od::value inner;
      if (const auto code = element.get(inner)) return json_.fault(code);
      ValueId id{};
      if (auto fault = json_integer_or_text(inner, "an element", builder_.values(), id)) return fault;
      elements.push_back(id);
    }
    out = builder_.values().list(elements);
    return std::nullopt;
  }

  bool choose_shift() {
    const int logical_bits = static_cast<int>(std::bit_width(largest_l_));
    const int physical_bits = static_cast<int>(std::bit_width(largest_p_));
    if (logical_bits <= kHybridShift && physical_bits + kHybridShift <= 63) return true;
    shift_ = logical_bits;
    builder_.set_about(fmt::format("{}{}{}", kAboutHybrid, shift_, kAboutHybridEnd));
    return physical_bits + shift_ <= 63;
  }

  void begin(const Txn& txn) {
    builder_.begin_txn(builder_.session(txn.session));
    builder_.set_id(txn.id);
    if (txn.sno != kNoTime) builder_.set_sno(txn.sno);
    const auto packed = [this](const Hybrid& time) { return static_cast<std::int64_t>((time.p << shift_) | time.l); };
    if (txn.start.known) builder_.set_start_ts(packed(txn.start));
    if (txn.commit.known) builder_.set_commit_ts(packed(txn.commit));
  }

  const SourceFile& file_;
  const ReadOptions& options_;
  JsonDocument json_;
  HistoryBuilder builder_;
  GroupedOps ops_;
  std::vector<Txn> txns_;
  std::vector<std::string> notes_;
  UnknownFields unknown_;
  std::uint64_t largest_p_ = 0, largest_l_ = 0;
  std::uint32_t largest_ = 0;  // the transaction with the largest p
  int shift_ = kHybridShift;
  bool numbered_ = false;  // some transaction has a number in its session
};

Result<ReadResult> read_timekiller(const Source& source, const ReadOptions& options) {
  if (auto plain = TimekillerReader(source, options).run_plain()) return *std::move(plain);
  return TimekillerReader(source, options).run();
}

bool recognise_timekiller(const Source& source) {
  std::string_view head = source.files[0].bytes.substr(0, 4096);
  const auto skip_space = [&head] { head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size())); };
  skip_space();
  if (!head.starts_with('[')) return false;
  head.remove_prefix(1);
  skip_space();
  const auto has = [&head](std::string_view name) { return head.find(name) != std::string_view::npos; };
  return head.starts_with('{') && has("\"tid\"") && (has("\"sid\"") || has("\"ops\""));
}

}  // namespace

constinit const FormatInfo kTimekillerFormat{.name = "timekiller",
                                             .summary = "TimeKiller's JSON with start and commit timestamps",
                                             .extension = "",
                                             .is_folder = false,
                                             .recognise = recognise_timekiller,
                                             .read = read_timekiller,
                                             .write = write_timekiller,
                                             .writer = Writer::kTimekiller,
                                             .unfit = unfit_for_timekiller};

}  // namespace isolde
