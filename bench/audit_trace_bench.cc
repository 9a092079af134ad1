// bench/audit_trace_bench.cc: how fast traces are read and interned: a table with a row per form.
//
// Use:    audit_trace_bench [STATEMENTS]   (1000000)
// Method: an order-entry workload of four interleaved clients is written in each form. A separate process loads it, so
//         that its peak memory is that of this form alone.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "audit/trace/log.h"
#include "base/rng.h"
#include "base/scratch_folder.h"

namespace isolde::audit {
namespace {

// One statement of the workload, as a client sends it.
std::string statement(std::uint64_t place, Rng& rng) {
  const auto row = [&] { return rng.below(100'000); };
  switch (place % 10) {
    case 0:
      return "BEGIN";
    case 1:
      return fmt::format("SELECT D_TAX, D_NEXT_O_ID FROM DISTRICT WHERE D_ID = {} AND D_W_ID = {}", rng.below(10),
                         row());
    case 2:
      return fmt::format("UPDATE DISTRICT SET D_NEXT_O_ID = {} WHERE D_ID = {} AND D_W_ID = {}", row(), rng.below(10),
                         row());
    case 3:
      return fmt::format(
          "INSERT INTO ORDERS (O_ID, O_D_ID, O_W_ID, O_C_ID, O_ENTRY_D) VALUES ({}, {}, {}, {}, '2026-11-15 "
          "02:{:02}:{:02}')",
          place, rng.below(10), row(), row(), rng.below(60), rng.below(60));
    case 4:
    case 6:
      return fmt::format(
          "SELECT S_QUANTITY, S_DATA, S_YTD, S_ORDER_CNT, S_DIST_01 FROM STOCK WHERE S_I_ID = {} AND S_W_ID = {}",
          row(), row());
    case 5:
    case 7:
      return fmt::format(
          "UPDATE STOCK SET S_QUANTITY = {}, S_YTD = {}, S_ORDER_CNT = {} WHERE S_I_ID = {} AND S_W_ID = {}",
          rng.below(100), row(), rng.below(10), row(), row());
    case 8:
      return fmt::format(
          "INSERT INTO ORDER_LINE (OL_O_ID, OL_NUMBER, OL_I_ID, OL_AMOUNT, OL_DIST_INFO) VALUES ({}, {}, {}, {}.{:02}, "
          "'{:x}''{:x}')",
          place, rng.below(15), row(), row(), rng.below(100), rng.next(), row());
    default:
      return "COMMIT";
  }
}

struct Form {
  const char* name;
  std::string (*line)(std::uint64_t client, std::uint64_t place, const std::string& sql);
};

std::string clock(std::uint64_t place) {
  return fmt::format("2026-11-15 {:02}:{:02}:{:02}.{:03}", place / 3'600'000 % 24, place / 60'000 % 60,
                     place / 1000 % 60, place % 1000);
}

std::string doubled(const std::string& sql) {
  std::string out;
  for (const char c : sql) out.append(c == '"' ? 2 : 1, c);
  return out;
}

const Form kForms[] = {
    {"general_log, old lines",
     [](std::uint64_t client, std::uint64_t place, const std::string& sql) {
       return fmt::format("{}{:6} Query\t{}\n", place % 1000 == 0 ? "261115  2:47:57\t" : "\t\t", 400 + client, sql);
     }},
    {"general_log, MySQL 5.7",
     [](std::uint64_t client, std::uint64_t place, const std::string& sql) {
       std::string time = clock(place);
       time[10] = 'T';
       return fmt::format("{}123Z\t{:5} Query\t{}\n", time, 400 + client, sql);
     }},
    {"PostgreSQL log",
     [](std::uint64_t client, std::uint64_t place, const std::string& sql) {
       return fmt::format("{} UTC [{}] shop@orders LOG:  statement: {}\n", clock(place), 16240 + client, sql);
     }},
    {"PostgreSQL csvlog",
     [](std::uint64_t client, std::uint64_t place, const std::string& sql) {
       return fmt::format(
           "{0} UTC,\"shop\",\"orders\",{1},\"127.0.0.1:39388\",6af91d63.{1:x},{2},\"idle\",{0} UTC,3/323,0,LOG,00000,"
           "\"statement: {3}\",,,,,,,,,\"\",\"client backend\",,0\n",
           clock(place), 16240 + client, place, doubled(sql));
     }},
    {"plain SQL", [](std::uint64_t client, std::uint64_t,
                     const std::string& sql) { return fmt::format("-- session {}\n{};\n", client, sql); }},
};

void write_trace(const std::string& path, const Form& form, std::uint64_t statements) {
  constexpr std::uint64_t kClients = 4;
  Rng rng(1);
  std::ofstream out(path, std::ios::binary);
  std::uint64_t places[kClients] = {};
  for (std::uint64_t written = 0; written < statements; ++written) {
    const std::uint64_t client = rng.below(kClients);
    const std::uint64_t place = places[client]++;
    out << form.line(client, place, statement(place, rng));
  }
}

// Loads the trace in a separate process and prints the row.
bool measure(const Form& form, const std::string& path) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const auto log = load_trace(path, {});
    if (!log) {
      fmt::print(stderr, "{}\n", log.error().message());
      _exit(1);
    }
    fmt::print("| {:24} | {:10} | {:12} | {:6} |", form.name, log->statements.size() + log->control_statements,
               log->transactions.size(), log->shapes.size());
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  rusage use{};
  if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0) return false;
  const double seconds = static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
  fmt::print(" {:11.2f} | {:8} |\n", seconds, use.ru_maxrss / 1024);
  return true;
}

int run(std::uint64_t statements) {
  const std::string folder = make_scratch_folder("audit-trace");
  if (folder.empty()) {
    fmt::print(stderr, "cannot create a scratch folder\n");
    return 2;
  }
  fmt::print("| {:24} | statements | transactions | shapes | CPU seconds | peak MiB |\n|---|---|---|---|---|---|\n",
             "form");
  bool all = true;
  for (const Form& form : kForms) {
    const std::string path = folder + "/trace";
    write_trace(path, form, statements);
    all = measure(form, path) && all;
  }
  std::filesystem::remove_all(folder);
  return all ? 0 : 1;
}

}  // namespace
}  // namespace isolde::audit

int main(int argc, char** argv) {
  return isolde::audit::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000);
}
