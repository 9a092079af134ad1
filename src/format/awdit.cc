#include "format/awdit.h"

#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

bool is_run_of(std::string_view line, char c) {
  while (line.ends_with(' ') || line.ends_with('\t') || line.ends_with('\r')) line.remove_suffix(1);
  return !line.empty() && line.find_first_not_of(c) == std::string_view::npos;
}

class AwditReader {
 public:
  AwditReader(const Source& source, const ReadOptions& options) : lines_(source.files[0]), options_(options) {}

  Result<ReadResult> run() {
    std::vector<std::string> notes;
    while (lines_.next()) {
      if (is_run_of(lines_.left(), '-')) {
        end_txn();
      } else if (is_run_of(lines_.left(), '=')) {
        end_txn();
        ++session_;
      } else if (auto error = operation()) {
        if (!options_.lenient || !lines_.may_be_cut()) return *std::move(error);
        notes.push_back(dropped_line_note(lines_));
      }
    }
    end_txn();
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), std::move(notes)};
  }

 private:
  void end_txn() {
    if (open_) builder_.end_txn();
    open_ = false;
  }

  std::optional<Error> operation() {
    const Error start = lines_.error("expected `r key value`, `w key value`, a line of '-' or a line of '='");
    const std::string_view kind = lines_.word();
    if (kind != "r" && kind != "w") return start;
    const auto key = lines_.integer();
    if (!key) return lines_.error("expected the key, a 64-bit integer");
    const auto value = lines_.integer();
    if (!value) return lines_.error("expected the value, a 64-bit integer");
    if (!lines_.at_end()) return lines_.error("expected the end of the line after the value");
    if (!open_) builder_.begin_txn(builder_.session(session_));
    open_ = true;
    const KeyId key_id = builder_.key(key->value(builder_.values()));
    const ValueId value_id = value->value(builder_.values());
    if (kind == "r") {
      builder_.read(key_id, value_id);
    } else {
      builder_.write(key_id, value_id);
    }
    return std::nullopt;
  }

  TextLines lines_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  std::int64_t session_ = 0;
  bool open_ = false;
};

Result<ReadResult> read_awdit(const Source& source, const ReadOptions& options) {
  return AwditReader(source, options).run();
}

bool recognise_awdit(const Source& source) {
  const SourceFile head{{}, source.files[0].bytes.substr(0, 4096), nullptr};
  TextLines lines(head);
  while (lines.next()) {
    if (is_run_of(lines.left(), '-') || is_run_of(lines.left(), '=')) continue;
    const std::string_view kind = lines.word();
    return (kind == "r" || kind == "w") && lines.integer().has_value();
  }
  return false;
}

}  // namespace

constinit const FormatInfo kAwditFormat{.name = "awdit",
                                        .summary = "AWDIT's test files: `w key value` lines, ----- and =====",
                                        .extension = "",
                                        .is_folder = false,
                                        .recognise = recognise_awdit,
                                        .read = read_awdit,
                                        .write = nullptr};

}  // namespace isolde
