// tests/support/jepsen.h: Jepsen histories in tests: read from text, shown as text, written and read back.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "format/jepsen.h"
#include "history/history.h"

namespace isolde::jepsen {

inline Source source_of(std::string_view text) { return {"history", false, {{"history", text, nullptr}}}; }

inline Result<ReadResult> read(std::string_view text, bool lenient = false) {
  const bool json = kJepsenJsonFormat.recognise(source_of(text));
  return (json ? kJepsenJsonFormat : kJepsenEdnFormat).read(source_of(text), {.lenient = lenient, .progress = nullptr});
}

inline std::string time_text(std::int64_t time) { return time == kNoTime ? "-" : std::to_string(time); }

inline std::string op_text(const History& h, std::uint32_t i) {
  const OpHead op = h.op(i);
  if (op.kind() == OpKind::kScan) {
    const Predicate& p = h.predicate(op.predicate());
    std::string text = "scan(" + std::string(h.values().string(p.where)) + ")";
    for (const Item& item : h.items(p)) text += " " + h.key_text(item.key) + "=" + h.value_text(item.value);
    return text;
  }
  static constexpr const char* kNames[] = {"r", "w", "append", "inc"};
  return fmt::format("{} {} {}", kNames[static_cast<int>(op.kind())], h.key_text(op.key()),
                     h.value_text(h.op_value(i)));
}

// One line a transaction: id@session status begin..end: operations.
inline std::string text_of(const History& h) {
  std::string out;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    static constexpr const char* kStatus[] = {"ok", "fail", "info"};
    out += fmt::format("{}@{} {} {}..{}:", h.txn_text(txn), h.session_text(h.session(txn)),
                       kStatus[static_cast<int>(h.status(txn))], time_text(h.begin(txn)), time_text(h.end(txn)));
    for (std::uint32_t op = h.first_op(txn); op < h.end_op(txn); ++op) {
      out += (op == h.first_op(txn) ? " " : "; ") + op_text(h, op);
    }
    out += '\n';
  }
  return out;
}

inline std::string text_of(std::string_view file) {
  auto result = read(file);
  if (!result) return result.error().message();
  EXPECT_EQ(defect_of(result->history.columns()), "");
  return text_of(result->history);
}

// The operations of the only transaction.
inline std::string ops_of(std::string_view file) {
  const std::string text = text_of(file);
  const std::size_t at = text.find(": ");
  return at == std::string::npos ? text : text.substr(at + 2, text.size() - at - 3);
}

struct MemoryOutput : Output, ByteSink {
  std::string text;
  void write(std::string_view bytes) override { text += bytes; }
  ByteSink& file(std::string_view /*name*/) override { return *this; }
};

struct Written {
  std::string text;
  Lost lost;
};
inline Written written(const History& h) {
  MemoryOutput output;
  auto result = kJepsenEdnFormat.write(h, output);
  EXPECT_TRUE(result.has_value());
  return {std::move(output.text), std::move(result->lost)};
}

// Empty if the history is the same after writing and reading.
inline std::string round_trip(const History& h) {
  const Written file = written(h);
  for (const std::string& lost : file.lost) return "lost: " + lost;
  auto back = read(file.text);
  if (!back) return back.error().message();
  return difference(h, back->history);
}

}  // namespace isolde::jepsen
