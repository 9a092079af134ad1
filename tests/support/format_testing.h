// tests/support/format_testing.h: reading from and writing to memory, for tests and fuzz targets of formats.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/format.h"
#include "history/history.h"

namespace isolde::testing {

// One file, or with `files` of several names a folder. The bytes must outlive it.
inline Source source_of(std::string_view bytes) {
  return Source{.path = "mem", .is_folder = false, .files = {{"mem", bytes, nullptr}}};
}
inline Source folder_of(const std::map<std::string, std::string>& files) {
  Source source{.path = "mem", .is_folder = true, .files = {}};
  for (const auto& [name, bytes] : files) source.files.push_back({"mem/" + name, bytes, nullptr});
  return source;
}

class MemoryOutput : public Output {
 public:
  ByteSink& file(std::string_view name) override { return sinks_[std::string(name)]; }
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& [name, sink] : sinks_) files[name] = sink.text;
    return files;
  }
  [[nodiscard]] std::string text() const { return sinks_.at("").text; }

 private:
  struct Sink : ByteSink {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  };
  std::map<std::string, Sink> sinks_;
};

// A history in one line a transaction: `id@session status: r x=1, w y=2`, for comparing in tests.
inline std::string shown(const History& h) {
  std::string out;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    out += h.txn_text(txn) + "@" + h.session_text(h.session(txn));
    if (h.status(txn) == Status::kAborted) out += " aborted";
    if (h.status(txn) == Status::kUnknown) out += " unknown";
    out += ":";
    for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
      const OpHead op = h.op(i);
      if (op.kind() == OpKind::kScan) {
        const Predicate& p = h.predicate(op.predicate());
        const auto items = [&h](std::span<const Item> all) {
          std::string text;
          for (const Item& item : all) text += " " + h.key_text(item.key) + "=" + h.value_text(item.value);
          return text;
        };
        out += " scan(" + std::string(h.values().string(p.where)) + "):" + items(h.items(p));
        if (p.has_vset != 0) out += " of" + items(h.vset(p));
        continue;
      }
      out += op.kind() == OpKind::kRead ? " r " : op.kind() == OpKind::kWrite ? " w " : " a ";
      out += h.key_text(op.key()) + "=" + h.value_text(h.op_value(i));
    }
    out += "\n";
  }
  return out;
}

inline std::string shown(const Result<ReadResult>& result) {
  return result ? shown(result->history) : result.error().message();
}

}  // namespace isolde::testing
