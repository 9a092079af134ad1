#include "audit/trace/mysql_line.h"

#include <array>

#include "audit/trace/trace_input.h"

namespace isolde::audit {
namespace {

struct CommandRow {
  std::string_view name;
  MysqlCommand command;
};

// The names of the protocol's commands in MySQL 5.0 to 8.4 and MariaDB 5 to 11. Longer ones before their beginnings.
constexpr CommandRow kCommands[] = {
    {"Query", MysqlCommand::kStatement},
    {"Execute", MysqlCommand::kStatement},
    {"Bulk_execute", MysqlCommand::kStatement},
    {"Prepare", MysqlCommand::kPrepare},
    {"Connect Out", MysqlCommand::kOther},
    {"Connect", MysqlCommand::kNewSession},
    {"Change user", MysqlCommand::kNewSession},
    {"Reset connection", MysqlCommand::kNewSession},
    {"Reset Connection", MysqlCommand::kNewSession},
    {"Quit", MysqlCommand::kQuit},
    {"Init DB", MysqlCommand::kOther},
    {"Close stmt", MysqlCommand::kOther},
    {"Reset stmt", MysqlCommand::kOther},
    {"Long Data", MysqlCommand::kOther},
    {"Fetch", MysqlCommand::kOther},
    {"Field List", MysqlCommand::kOther},
    {"Statistics", MysqlCommand::kOther},
    {"Ping", MysqlCommand::kOther},
    {"Sleep", MysqlCommand::kOther},
    {"Create DB", MysqlCommand::kOther},
    {"Drop DB", MysqlCommand::kOther},
    {"Refresh", MysqlCommand::kOther},
    {"Shutdown", MysqlCommand::kOther},
    {"Processlist", MysqlCommand::kOther},
    {"Kill", MysqlCommand::kOther},
    {"Debug", MysqlCommand::kOther},
    {"Time", MysqlCommand::kOther},
    {"Delayed insert", MysqlCommand::kOther},
    {"Delayed Insert", MysqlCommand::kOther},
    {"Binlog Dump GTID", MysqlCommand::kOther},
    {"Binlog Dump", MysqlCommand::kOther},
    {"Table Dump", MysqlCommand::kOther},
    {"Register Slave", MysqlCommand::kOther},
    {"Register Replica", MysqlCommand::kOther},
    {"Set option", MysqlCommand::kOther},
    {"Daemon", MysqlCommand::kOther},
    {"Unimpl get tid", MysqlCommand::kOther},
    {"Subscribe Group Replication Stream", MysqlCommand::kOther},
    {"Group Replication Data Stream subscription", MysqlCommand::kOther},
    {"clone", MysqlCommand::kOther},
    {"Slave_worker", MysqlCommand::kOther},
    {"Slave_IO", MysqlCommand::kOther},
    {"Slave_SQL", MysqlCommand::kOther},
    {"Com_multi", MysqlCommand::kOther},
    {"Error", MysqlCommand::kOther},
};

// `161031 11:16:12` or `161031  1:16:12`; nothing if it is no time.
bool take_old_time(std::string_view& text, std::int64_t& time_us) {
  char d[12];
  std::string_view rest = text;
  if (!take_pattern(rest, "000000 ", d) || rest.size() < 8) return false;
  if (rest.front() == ' ') {
    d[6] = '0';
    rest.remove_prefix(1);
    if (!take_pattern(rest, "0:00:00", d + 7)) return false;
  } else if (!take_pattern(rest, "00:00:00", d + 6)) {
    return false;
  }
  const std::string_view digits(d, 12);
  const std::uint32_t year = number_of(digits.substr(0, 2));
  time_us =
      CivilTime{year + (year < 70 ? 2000U : 1900U), number_of(digits.substr(2, 2)), number_of(digits.substr(4, 2)),
                number_of(digits.substr(6, 2)),     number_of(digits.substr(8, 2)), number_of(digits.substr(10, 2))}
          .micros_since_epoch();
  text = rest;
  return true;
}

// Z, or +02:00: the time is made UTC.
bool take_zone(std::string_view& text, std::int64_t& time_us) {
  if (text.starts_with('Z')) {
    text.remove_prefix(1);
    return true;
  }
  char d[4];
  const bool minus = text.starts_with('-');
  if (!take_pattern(text, minus ? "-00:00" : "+00:00", d)) return false;
  const std::int64_t minutes = number_of({d, 2}) * 60 + number_of({d + 2, 2});
  if (time_us != kNoTime) time_us += (minus ? minutes : -minutes) * 60'000'000;
  return true;
}

bool take_time(std::string_view& text, std::int64_t& time_us) {
  if (text.starts_with("\t\t")) {
    text.remove_prefix(2);
    return true;
  }
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  CivilTime time;
  if (take_iso_time(text, time)) {
    time_us = time.micros_since_epoch();
    if (!take_zone(text, time_us)) return false;
  } else if (!take_old_time(text, time_us)) {
    return false;
  }
  if (!text.starts_with('\t')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<MysqlLine> mysql_line(std::string_view line) {
  std::string_view rest = line;
  MysqlLine found{kNoTime, 0, MysqlCommand::kOther, 0};
  if (!take_time(rest, found.time_us)) return std::nullopt;
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 20 && rest[digits] >= '0' && rest[digits] <= '9') {
    found.thread = found.thread * 10 + static_cast<std::uint64_t>(rest[digits] - '0');
    ++digits;
  }
  if (digits == 0 || !rest.substr(digits).starts_with(' ')) return std::nullopt;
  rest.remove_prefix(digits + 1);
  for (const CommandRow& row : kCommands) {
    if (!rest.starts_with(row.name)) continue;
    const std::string_view after = rest.substr(row.name.size());
    if (!after.empty() && after.front() != '\t') continue;
    found.command = row.command;
    found.argument = static_cast<std::uint32_t>(line.size() - after.size() + (after.empty() ? 0 : 1));
    return found;
  }
  return std::nullopt;
}

bool is_mysql_start(std::string_view text) {
  Lines lines(text);
  if (!lines.next() || !lines.line().ends_with("started with:")) return false;
  if (!lines.next() || !(lines.line().starts_with("Tcp port:") || lines.line().starts_with("TCP Port:"))) return false;
  return lines.next() && lines.line().starts_with("Time") && lines.line().ends_with("Argument");
}

}  // namespace isolde::audit
