// tests/fuzz/jepsen_fuzz.h: what both Jepsen readers must hold for any bytes.
//
// A reader gives a History or an error with its place. What it gives is well formed, can be written as EDN, and what
// was written can be read; if nothing was lost and every transaction has its end, it is the same history.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/jepsen.h"

namespace isolde {

struct FuzzOutput : Output, ByteSink {
  std::string text;
  void write(std::string_view bytes) override { text += bytes; }
  ByteSink& file(std::string_view /*name*/) override { return *this; }
};

inline void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

inline void fuzz_jepsen(const FormatInfo& format, std::string_view bytes) {
  const Source source{"fuzz", false, {{"fuzz", bytes, nullptr}}};
  static_cast<void>(format.recognise(source));
  for (const bool lenient : {false, true}) {
    auto result = format.read(source, {.lenient = lenient, .progress = nullptr});
    if (!result) {
      require(result.error().line > 0 && result.error().column > 0, "an error without place", result.error().message());
      continue;
    }
    const History& history = result->history;
    require(defect_of(history.columns()).empty(), "not well formed", defect_of(history.columns()));
    if (history.txn_count() == 0) continue;  // has no form in EDN
    FuzzOutput output;
    const auto put = write_history(history, kJepsenEdnFormat, output, Losses::kAccept);
    require(put.has_value(), "cannot be written", {});
    const Source written{"written", false, {{"written", output.text, nullptr}}};
    auto back = kJepsenEdnFormat.read(written, {});
    require(back.has_value(), "cannot be read back",
            back ? std::string() : back.error().message() + "\n" + output.text);
    // A transaction without an end (an :init that failed) gets one by being written.
    bool ended = true;
    for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
      ended = ended && (history.end(TxnId{t}) != kNoTime || history.status(TxnId{t}) == Status::kUnknown);
    }
    if (!put->lost.empty() || !ended) continue;
    const std::string difference_found = difference(history, back->history);
    require(difference_found.empty(), "another history when read back", difference_found + "\n" + output.text);
  }
}

}  // namespace isolde
