// tests/fuzz/format_fuzz.h: what every reader must survive: any bytes, strict and lenient; what it reads is well
// formed, every writer copes with it, and what a writer wrote without loss reads the same.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "format/format.h"
#include "tests/support/format_testing.h"

namespace isolde::fuzz {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline void write_all(const History& history) {
  for (const FormatInfo& format : formats()) {
    if (format.write == nullptr) continue;
    testing::MemoryOutput output;
    const auto written = write_history(history, format, output, Losses::kAccept);
    if (!written) {
      require(!written.error().text.empty(), "an error without words");
      continue;
    }
    const auto files = output.files();
    const Source source = format.is_folder ? testing::folder_of(files) : testing::source_of(files.at(""));
    const auto again = format.read(source, {});
    require(again.has_value(), std::string(format.name) +
                                   " cannot read what it wrote: " + (again ? std::string{} : again.error().message()));
    require(defect_of(again->history.columns()).empty(), "a defect after writing");
    // The lines of a Jepsen file have an order, which says more than a history without times; jepsen_fuzz.h looks at
    // it.
    if (!written->lost.empty() || format.is_folder || format.name == "jepsen-edn") continue;
    const std::string different = difference(history, again->history);
    require(different.empty(), std::string(format.name) + " lost in writing: " + different);
  }
}

inline void read(const FormatInfo& format, const Source& source) {
  (void)recognise(source);
  for (const bool lenient : {false, true}) {
    const auto result = format.read(source, ReadOptions{.lenient = lenient});
    if (!result) {
      require(!result.error().text.empty(), "an error without words");
      continue;
    }
    const std::string defect = defect_of(result->history.columns());
    require(defect.empty(), "a defect: " + defect);
    if (!lenient) write_all(result->history);
  }
}

inline int file(const FormatInfo& format, const std::uint8_t* data, std::size_t size) {
  read(format, testing::source_of({reinterpret_cast<const char*>(data), size}));
  return 0;
}

// A folder of two files, apart by the first line "--file--".
inline int folder(const FormatInfo& format, char letter, const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kMarker = "--file--";
  const std::size_t at = all.find(kMarker);
  std::map<std::string, std::string> files;
  files[std::string(1, letter) + "1.log"] = std::string(all.substr(0, at));
  if (at != std::string_view::npos)
    files[std::string(1, letter) + "2.log"] = std::string(all.substr(at + kMarker.size()));
  read(format, testing::folder_of(files));
  return 0;
}

}  // namespace isolde::fuzz
