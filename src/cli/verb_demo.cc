// The demo runs the verbs themselves, with the command lines that it shows.
#include <fmt/format.h>

#include <filesystem>

#include "base/scratch_folder.h"
#include "cli/verbs.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

Exit run_line(Exit (*verb)(const Arguments&), const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += " " + word;
  print(bold("$ isolde" + line) + "\n");
  static_cast<void>(flush_output());
  const VerbRow* const row = verb_named(words.front());
  auto args = parse(*row, std::vector<std::string>(words.begin() + 1, words.end()));
  if (!args) return print_error(args.error()), Exit::kBadInput;
  const Exit exit = verb(*args);
  print("\n");
  return exit;
}

}  // namespace

Exit run_demo(const Arguments& args) {
  const std::string folder = make_scratch_folder("demo");
  if (folder.empty()) {
    print_error("cannot create a scratch folder for the demo");
    return Exit::kBadInput;
  }
  std::error_code error;
  fs::current_path(folder, error);
  if (error) return print_error(Error{"cannot enter: " + error.message(), folder}), Exit::kBadInput;
  const std::string seed = args.text("seed", "1");

  print("SQLite with its default settings: eight clients, every answer recorded, the recording checked.\n\n");
  Exit exit = run_line(run_record, {"record", "--workload", "register", "--time", "2", "--seed", seed, "--out",
                                    "sqlite.jsonl", "--check", "strict-serializable"});
  if (exit != Exit::kFine)
    return print_error("the demo's SQLite history did not pass the check; please report this"), Exit::kBadInput;

  print("SQLite with a shared cache and PRAGMA read_uncommitted, with three in ten transactions rolled back:\n\n");
  exit =
      run_line(run_record, {"record", "--workload", "register", "--level", "read-uncommitted", "--rollbacks", "0.3",
                            "--keys", "8", "--think", "0.001", "--time", "2", "--seed", seed, "--out", "dirty.jsonl"});
  if (exit != Exit::kFine) return exit;
  exit = run_line(run_check, {"check", "dirty.jsonl", "--level", "read-committed", "--prove", "--anomalies", "1"});
  if (exit != Exit::kFound) return print_error("the demo found no dirty read; please report this"), Exit::kBadInput;

  print("A history of 200,000 transactions with database timestamps:\n\n");
  exit = run_line(run_gen, {"gen", "--out", "good.isl", "--transactions", "200k", "--seed", seed});
  if (exit != Exit::kFine) return exit;
  exit = run_line(run_check, {"check", "good.isl", "--level", "snapshot-isolation", "--prove"});
  fs::remove("good.isl", error);
  if (exit != Exit::kFine)
    return print_error("the demo's valid history did not pass the check; please report this"), Exit::kBadInput;

  print(bold("What next") + "\n");
  print(
      "  isolde explain G1a                     what that anomaly is; --list: all of them, and the levels\n"
      "  isolde probe                           which anomalies SQLite lets through; with a URL: your database\n"
      "  isolde record URL --check serializable a workload on your database, recorded and checked\n"
      "  isolde check YOUR-HISTORY --level L    your own: JSON Lines, Jepsen's EDN and more (isolde check --help)\n");
  print(fmt::format("The two recordings are in {}\n", folder));
  return Exit::kFine;
}

}  // namespace isolde::cli
