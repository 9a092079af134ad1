#include "cli/example_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "format/native.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

using Row = std::vector<std::string>;

// Columns on a terminal: bytes that continue a UTF-8 sequence take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string operations(const History& h, TxnId t) {
  std::string out;
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    if (!out.empty()) out += " · ";
    const OpHead head = h.op(op);
    const ValueId v = h.op_value(op);
    switch (head.kind()) {
      case OpKind::kRead:
        out += fmt::format("read {} → {}", h.key_text(head.key()), words::value(h, v));
        break;
      case OpKind::kWrite:
        out += v == kNullValue ? "delete " + h.key_text(head.key())
                               : fmt::format("write {} ← {}", h.key_text(head.key()), words::value(h, v));
        break;
      case OpKind::kAppend:
        out += fmt::format("append {} ← {}", h.key_text(head.key()), words::value(h, v));
        break;
      default:
        out += words::did(h, OpId{op});
    }
  }
  return out;
}

std::string interval(std::int64_t from, std::int64_t to) {
  const auto text = [](std::int64_t t) { return t == kNoTime ? std::string("?") : std::to_string(t); };
  return from == kNoTime && to == kNoTime ? std::string() : text(from) + "–" + text(to);
}

std::string drawn(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = " ";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      line += " " + rows[r][i];
      if (i + 1 < rows[r].size()) line += std::string(widths[i] - width_of(rows[r][i]) + 1, ' ') + "│";
    }
    out += line + "\n";
    if (r > 0) continue;
    out += "  ";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      for (std::size_t n = 0; n <= widths[i]; ++n) out += "─";
      if (i + 1 < widths.size()) out += "┼─";
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string example_table(std::string_view lines) {
  Source source{.path = "example", .is_folder = false, .files = {}};
  source.files.push_back({"example", lines, nullptr});
  const auto read = kNativeFormat.read(source, {});
  if (!read || read->history.txn_count() == 0) return {};
  const History& h = read->history;
  const HistoryColumns& c = h.columns();
  const bool snapshots = !c.start_ts.empty() || !c.commit_ts.empty();
  const bool clocks = !c.begin.empty() || !c.end.empty();
  const bool statuses = std::any_of(c.status.begin(), c.status.end(), [](Status s) { return s != Status::kCommitted; });

  std::vector<Row> rows;
  Row head = {"transaction", "session"};
  if (!c.sno.empty()) head.emplace_back("sno");
  if (clocks) head.emplace_back("begin–end");
  if (snapshots) head.emplace_back("start–commit");
  if (statuses) head.emplace_back("status");
  head.emplace_back("operations");
  rows.push_back(head);
  constexpr std::string_view kStatuses[] = {"committed", "aborted", "unknown"};
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    Row row = {words::txn(h, t), h.session_text(h.session(t))};
    if (!c.sno.empty()) row.push_back(h.sno(t) == kNoTime ? std::string() : std::to_string(h.sno(t)));
    if (clocks) row.push_back(interval(h.begin(t), h.end(t)));
    if (snapshots) row.push_back(interval(h.start_ts(t), h.commit_ts(t)));
    if (statuses) row.emplace_back(kStatuses[static_cast<std::size_t>(h.status(t))]);
    row.push_back(operations(h, t));
    rows.push_back(std::move(row));
  }
  return drawn(rows);
}

}  // namespace isolde::cli
