// The table of verbs. A new verb is one row here, and one in run.cc that says what runs it.
#include <string>
#include <vector>

#include "cli/options.h"
#include "db/product.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kAny = SIZE_MAX;

constexpr VerbRow kVerbs[] = {
    {"check", "FILE…", 1, kAny, "check recorded histories and explain the anomalies in them",
     "Each FILE is a history: a file, a folder (for formats that use folders), or - for standard input. Files may\n"
     "be compressed with gzip or zstd.\n"
     "Exit status: 0 all satisfied (method mirror: nothing found), 1 at least one violated, 2 bad usage or input,\n"
     "3 none violated, at least one undecided.",
     "isolde check history.jsonl --level snapshot-isolation\n"
     "isolde check run1.isl run2.isl --level serializable --json"},
    {"convert", "IN OUT", 2, 2, "convert a history from one supported format to another",
     "The name of OUT decides the format, unless --to is given; - is standard output, in the native format. Details "
     "that affect no verdict, such as the names of\n"
     "keys, may be lost; they are listed. If OUT could not hold something that a verdict may depend on, nothing is\n"
     "written, unless --lossy is given.",
     "isolde convert history.edn history.isl\n"
     "isolde convert history.edn - | head -3"},
    {"gen", "", 0, 0, "generate histories of any size, valid at a level or with planted anomalies",
     "The name of the file decides the format (.jsonl, .isl). The same options and seed give the same history.",
     "isolde gen --out h.jsonl --transactions 100k --level snapshot-isolation\n"
     "isolde gen --out bad.isl --transactions 10k --level snapshot-isolation --plant lost-update:0.001"},
    {"explain", "[NAME]", 0, 1, "define a level or an anomaly and show the smallest history for it", "",
     "isolde explain write-skew\nisolde explain snapshot-isolation\nisolde explain --list"},
    {"demo", "", 0, 0, "a tour in under a minute: record SQLite, check it, provoke an anomaly and find it", "",
     "isolde demo"},
    {"record", "[URL]", 0, 1, "run a workload on a real database and save the history with all available evidence",
     "URL: {urls}\n"
     "The workload creates its own tables and replaces those of earlier runs. If a table of that name exists that\n"
     "`isolde record` did not create, the run is refused and the table is left alone.\n"
     "During the run everything is kept in the folder OUT.recording, which is readable at any time, even after a\n"
     "kill -9.\n"
     "--watch checks the run while it goes on and shows violations at once (docs/online.md).\n"
     "Exit status: 0, or that of `isolde check` with --check and of `isolde watch` with --watch; 2 if the run failed.",
     "isolde record --workload list-append --time 10 --check serializable\n"
     "isolde record postgres://me@localhost/test --level serializable --clients 16 --time 60 --out run.isl\n"
     "isolde record --spawn mariadb --workload rmw --level repeatable-read --check snapshot-isolation\n"
     "isolde record --spawn postgres --workload smallbank --level serializable --time 60 --watch"},
    {"watch", "[FILE|-|nats://…]", 0, 1, "check an endless stream of transactions online, in bounded memory",
     "FILE is native JSON Lines (docs/formats.md), a folder that `isolde record` writes, or - for standard input.\n"
     "nats://HOST/STREAM is a stream on NATS JetStream that several workers check together (docs/cluster.md).\n"
     "A violation is shown as soon as nothing that may still arrive can refute it. A summary follows at the end, or\n"
     "at ctrl-C. docs/online.md explains how an application sends its transactions, and what lag, late and suspected\n"
     "mean.\n"
     "Exit status: 0 no violation found, 1 violated, 2 bad usage or input, 3 undecided: something could not be judged.",
     "isolde watch history.jsonl --level snapshot-isolation\n"
     "isolde watch --listen unix:/tmp/isolde.socket --profile postgres:repeatable-read --checkpoint state\n"
     "tail -f trace.jsonl | isolde watch - --level serializable --method timeline --json\n"
     "isolde watch run.isl.recording --profile mariadb:repeatable-read\n"
     "isolde watch nats://localhost/shop --level snapshot-isolation --workers 2"},
    {"send", "FILE|- nats://…", 2, 2, "send transactions to a stream on NATS JetStream, which a cluster checks",
     "FILE is a history in any supported format, or - for native JSON Lines from standard input. The stream is "
     "created\n"
     "by `isolde watch nats://HOST/STREAM`. Sending the same FILE again under the same --name continues where an "
     "earlier\n"
     "run ended: each transaction is checked once (docs/cluster.md).\n"
     "Exit status: 0 everything is in the stream, 2 not.",
     "isolde send history.jsonl nats://localhost/shop --name app-1\n"
     "isolde send trace.jsonl nats://10.0.0.1,10.0.0.2,10.0.0.3/shop --follow"},
    {"probe", "[URL…]", 0, kAny, "test which anomalies a database allows at each of its levels",
     "Runs scripted interleavings on real connections, each at every level of the database, and reports which\n"
     "anomalies happened.\n"
     "URL: {urls}\n"
     "The probe creates tables of its own there (isolde_probe_…) and drops them. docs/probe.md explains how to write\n"
     "a scenario. Several URLs are probed one after another; --html shows them on one page.\n"
     "Exit status: 0 every level kept what it claims, 1 a level allowed what its claim rules out,\n"
     "2 bad usage or input, 3 undecided: a step did not answer.",
     "isolde probe\n"
     "isolde probe postgres://me@localhost/test --level \"repeatable read\" --transcript\n"
     "isolde probe --spawn mariadb --server-settings innodb_snapshot_isolation=ON --only P4,G2-item\n"
     "isolde probe sqlite: --scenario my.scenario"},
    {"hunt", "[URL]", 0, 1, "run random SQL transactions on a real database until a bug is found",
     "Generates random schemas and SQL transactions and runs them interleaved. From the row versions that each\n"
     "statement saw, it derives orders of the same statements that must give the same results without transactions,\n"
     "runs those as well, and compares. Each finding is reduced and saved as one file, which --replay runs again, on\n"
     "the same or another server.\n"
     "URL: {hunted urls}\n"
     "The hunt creates tables of its own there and drops them: use a database that you can spare. docs/hunt.md\n"
     "explains how it judges and how to read a finding.\n"
     "Exit status: 0 nothing found, 1 found (with --replay: reproduced), 2 bad usage or input, 3 undecided: no case\n"
     "could be judged.",
     "isolde hunt --time 10\n"
     "isolde hunt --spawn postgres --level serializable --time 10m\n"
     "isolde hunt --spawn mariadb --server-settings innodb_snapshot_isolation=ON --level \"repeatable read\" "
     "--foreign-keys\n"
     "isolde hunt postgres://me@localhost/scratch --level \"repeatable read\" --time 1h --out findings --json\n"
     "isolde hunt --replay findings/finding-001-result.finding --spawn postgres"},
    {"audit", "TRACE", 1, 1, "find the anomalies that an application's SQL may suffer at a weak level",
     "TRACE is recorded SQL: a MySQL or MariaDB general log, a PostgreSQL log or csvlog (log_statement = all), an\n"
     "SQLite trace, plain SQL with BEGIN and COMMIT, or a recording of `isolde record`.\n"
     "Transactions that run the same statements form a class. From the columns that each class reads and writes, the\n"
     "audit derives what may go wrong between classes at the level, how likely it is, and the smallest change that\n"
     "prevents it. docs/audit.md explains how to record a trace, how to read the report, and hints.\n"
     "--confirm and --spawn run the likeliest anomalies on a real server, in tables of their own.\n"
     "Exit status: 0 no anomaly, 1 some, 2 bad usage or input, 3 undecided: the time ran out.",
     "isolde audit examples/audit/purchase.sql\n"
     "isolde audit general.log --schema schema.sql --level snapshot-isolation\n"
     "isolde audit postgresql.csv --schema postgres://me@localhost/shop --hints hints.toml --json\n"
     "isolde audit examples/audit/purchase.sql --spawn postgres"},
    {"report", "FILE", 1, 1, "write a verdict as one self-contained HTML page",
     "FILE is a history, which is checked as `isolde check` does, or the --json output of check, probe or audit, or a\n"
     "finding of `isolde hunt`. The page loads nothing else, so it can be sent by mail. docs/report.md shows it.\n"
     "Exit status: that of `isolde check` for a history, otherwise 0; 2 bad usage or input.",
     "isolde report history.jsonl --level snapshot-isolation\n"
     "isolde report probes.jsonl --out probes.html\n"
     "isolde report isolde-findings/finding-001-result.finding"},
    {"elle-cli", "FILE…", 1, kAny, "check Jepsen histories with the command line and the output of elle-cli",
     "For scripts that call elle-cli: change that word to `isolde elle-cli`. Prints FILE, a tab, and true, false or\n"
     "unknown. docs/elle-cli.md lists the differences; `isolde check` says more.\n"
     "Models: list-append, rw-register, bank, counter, set, set-full, long-fork, cas-register, mutex.\n"
     "Exit status: 0 every file is true, 1 a file is false or the options are wrong, 2 a file could not be read,\n"
     "3 a file is unknown.",
     "isolde elle-cli --model list-append history.edn\n"
     "isolde elle-cli -m rw-register -c snapshot-isolation -f json history.json"},
    {"proxy", "", 0, 0, "record any application's transactions between it and its PostgreSQL or MariaDB server",
     "Point the application at the proxy instead of at the server; nothing else changes. Every client gets its own\n"
     "connection to the server. --out records which row versions each transaction read and wrote. Ctrl-C or SIGTERM\n"
     "ends it, writes the history and prints what passed through. docs/proxy.md says what is recorded, what is not, "
     "and\n"
     "what an application could notice.\n"
     "Exit status: 0 it was ended, 2 bad usage, or the server cannot be reached.",
     "isolde proxy --listen 127.0.0.1:6543 --to postgres://localhost/shop\n"
     "isolde proxy --to postgres://me@%2Frun%2Fpostgresql/shop --out run.jsonl"},
};

// The URLs of the databases that `has` chooses, as the rest of a line that begins with "URL: ".
std::string url_list(bool (*has)(const db::Product&)) {
  constexpr std::size_t kWidth = 110;
  std::vector<std::string> forms;
  for (const db::Product* const product : db::products()) {
    if (product->url_form.empty() || !has(*product)) continue;
    forms.emplace_back(product->url_form);
    if (forms.size() == 1) forms.back() += " (default: a scratch file)";
  }
  std::string out, line = "URL: ";
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const bool last = i + 1 == forms.size();
    const std::string word = forms[i] + (last ? "." : i + 2 == forms.size() ? " or " : ", ");
    if (line.size() + word.size() > kWidth) {
      while (out.ends_with(' ')) out.pop_back();
      out += '\n';
      line.clear();
    }
    line += word;
    out += word;
  }
  return out;
}

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }

std::string shown_details(const VerbRow& verb) {
  std::string text(verb.details);
  const auto put = [&](std::string_view place, bool (*has)(const db::Product&)) {
    if (const std::size_t at = text.find(place); at != std::string::npos) text.replace(at, place.size(), url_list(has));
  };
  put("{urls}", [](const db::Product& product) { return product.open != nullptr; });
  put("{hunted urls}", [](const db::Product& product) { return product.hunt != nullptr; });
  return text;
}

}  // namespace isolde::cli
