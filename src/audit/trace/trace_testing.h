// audit/trace/trace_testing.h: for tests: what a trace holds, as lines of text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "audit/trace/log.h"
#include "audit/trace/read_trace.h"

namespace isolde::audit {

// "0: SELECT 1", "0 failed", "0 ends", "0 {", "0 }", "line 3 not read: …", each on a line.
class WritingSink : public TraceSink {
 public:
  void statement(const TraceEvent& event) override { text += fmt::format("{}: {}\n", event.session, event.sql); }
  void failed(std::uint32_t session) override { text += fmt::format("{} failed\n", session); }
  void begin_message(std::uint32_t session) override { text += fmt::format("{} {{\n", session); }
  void end_message(std::uint32_t session) override { text += fmt::format("{} }}\n", session); }
  void end_of_session(std::uint32_t session) override { text += fmt::format("{} ends\n", session); }
  void not_read(std::uint64_t line, std::string_view, std::string_view why) override {
    text += fmt::format("line {} not read: {}\n", line, why);
  }
  std::string text;
};

// The events of a trace; `expected` says which form it must be taken for.
inline std::string events(std::string_view trace, TraceFormat expected, const TraceOptions& options = {}) {
  WritingSink sink;
  const auto facts = read_trace_text(trace, "trace", options, sink);
  if (!facts) return facts.error().message();
  EXPECT_EQ(name(facts->format), name(expected));
  return sink.text;
}

// The transactions of a log: "0 committed: SELECT 1; SELECT 2", each on a line.
inline std::string transactions(const TraceLog& log) {
  static constexpr const char* kOutcomes[] = {"committed", "rolled back", "open"};
  std::string text;
  for (const TraceTransaction& txn : log.transactions) {
    text +=
        fmt::format("{} {}{}:", txn.session, txn.autocommit ? "auto " : "", kOutcomes[static_cast<int>(txn.outcome)]);
    const char* between = " ";
    for (const TraceStatement& statement : log.of(txn)) {
      text += between + log.text_of(statement);
      between = "; ";
    }
    text += '\n';
  }
  return text;
}

inline std::string transactions(std::string_view trace, const TraceOptions& options = {}) {
  const auto log = load_trace_text(trace, "trace", options);
  return log ? transactions(*log) : log.error().message();
}

}  // namespace isolde::audit
