#include "format/veristrong_list.h"

#include <fmt/format.h>

#include <unordered_map>

#include "format/grouped_ops.h"
#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

class VeristrongListReader {
 public:
  VeristrongListReader(const Source& source, const ReadOptions& options) : lines_(source.files[0]), options_(options) {}

  Result<ReadResult> run() {
    if (!lines_.next()) return lines_.error("expected the number of lines");
    const auto count = lines_.integer();
    if (!count || count->negative) return lines_.error("expected the number of lines");
    if (!lines_.at_end()) return lines_.error("expected the end of the line after the number of lines");
    std::uint64_t left = count->magnitude;
    while (lines_.next()) {
      if (left == 0) return lines_.error(fmt::format("expected the end of the file after {} lines", count->magnitude));
      --left;
      Op op;
      if (auto error = parse(op)) {
        if (!options_.lenient || !lines_.may_be_cut()) return *std::move(error);
        notes_.push_back(dropped_line_note(lines_));
      } else if (auto wrong = add(op)) {
        return *std::move(wrong);
      }
    }
    if (left > 0 && !options_.lenient) {
      return lines_.error(fmt::format("expected {} more lines, but the file ends", left));
    }
    if (left > 0) notes_.push_back(fmt::format("the file ends {} lines before the number it gives", left));
    ops_.emit(builder_, [this](std::uint32_t t) {
      builder_.begin_txn(txns_[t].session);
      builder_.set_id(txns_[t].id);
    });
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  struct Op {
    WideInteger session, txn, key, value;
    bool is_read = false;
    std::vector<WideInteger> elements;
  };
  struct Txn {
    ValueId id;
    SessionId session;
  };

  std::optional<Error> take(WideInteger& out, const char* what) {
    const auto number = lines_.integer();
    if (!number) return lines_.error(fmt::format("expected {}, a 64-bit integer", what));
    out = *number;
    return std::nullopt;
  }

  std::optional<Error> parse(Op& op) {
    if (auto error = take(op.session, "the session")) return error;
    if (auto error = take(op.txn, "the transaction")) return error;
    lines_.skip_blanks();
    const Error here = lines_.error("expected R (read) or A (append)");
    const std::string_view kind = lines_.word();
    if (kind != "R" && kind != "A") return here;
    op.is_read = kind == "R";
    if (auto error = take(op.key, "the key")) return error;
    if (auto error = take(op.value, op.is_read ? "the number of elements" : "the element")) return error;
    if (op.is_read) {
      // An element takes at least two characters, so the line's length bounds what a hostile number can make us read.
      for (std::uint64_t i = 0; i < op.value.magnitude; ++i) {
        op.elements.emplace_back();
        if (auto error = take(op.elements.back(), "an element")) return error;
      }
    }
    if (!lines_.at_end()) return lines_.error("expected the end of the line");
    return std::nullopt;
  }

  std::optional<Error> add(const Op& op) {
    ValueInterner& values = builder_.values();
    const ValueId id = op.txn.value(values);
    const SessionId session = builder_.session(op.session.value(values));
    const auto [at, is_new] = places_.try_emplace(raw(id), txns_.size());
    if (is_new) {
      txns_.push_back({id, session});
      ops_.add_txn();
    }
    const auto place = static_cast<std::uint32_t>(at->second);
    if (txns_[place].session != session) {
      return lines_.error_at_start(
          fmt::format("expected another session: transaction {} began in another one", values.table().json(id)));
    }
    const KeyId key = builder_.key(op.key.value(values));
    if (!op.is_read) {
      ops_.add(place, OpKind::kAppend, key, op.value.value(values));
      return std::nullopt;
    }
    elements_.clear();
    for (const WideInteger& element : op.elements) elements_.push_back(element.value(values));
    ops_.add(place, OpKind::kRead, key, elements_.empty() ? kNullValue : values.list(elements_));
    return std::nullopt;
  }

  TextLines lines_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  GroupedOps ops_;
  std::vector<Txn> txns_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by the id's ValueId
  std::vector<ValueId> elements_;
  std::vector<std::string> notes_;
};

Result<ReadResult> read_veristrong_list(const Source& source, const ReadOptions& options) {
  return VeristrongListReader(source, options).run();
}

bool recognise_veristrong_list(const Source& source) {
  const SourceFile head{{}, source.files[0].bytes.substr(0, 4096), nullptr};
  TextLines lines(head);
  if (!lines.next() || !lines.integer() || !lines.at_end() || !lines.next()) return false;
  if (!lines.integer() || !lines.integer()) return false;
  const std::string_view kind = lines.word();
  return kind == "R" || kind == "A";
}

}  // namespace

constinit const FormatInfo kVeristrongListFormat{.name = "veristrong-list",
                                                 .summary = "VeriStrong's list histories: `session txn A key value`",
                                                 .extension = "",
                                                 .is_folder = false,
                                                 .recognise = recognise_veristrong_list,
                                                 .read = read_veristrong_list,
                                                 .write = nullptr};

}  // namespace isolde
