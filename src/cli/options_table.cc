// The two tables. A new option is one row here; nothing else lists them.
#include "cli/options.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kAny = SIZE_MAX;

constexpr VerbRow kVerbs[] = {
    {"check", "FILE…", 1, kAny, "a verdict on recorded histories, with explained anomalies",
     "Each FILE is a history (a folder, for formats that are folders; - is standard input), plain or compressed by "
     "gzip\n"
     "or zstd.\n"
     "Exit status: 0 all satisfied (method mirror: nothing found), 1 one is violated, 2 bad usage or input, 3 one is "
     "undecided.",
     "isolde check history.jsonl --level snapshot-isolation\n"
     "isolde check run1.isl run2.isl --level serializable --json"},
    {"convert", "IN OUT", 2, 2, "any supported history format into another",
     "The form of OUT follows its name; --to names it. What changes no verdict (names of keys, say) may be lost, and "
     "is\n"
     "listed; where OUT could not carry what a verdict may depend on, nothing is written, unless --lossy is given.",
     "isolde convert history.edn history.isl"},
    {"gen", "", 0, 0, "synthetic histories of any size, valid at a level or with a named anomaly planted",
     "The form of the file follows its name (.jsonl, .isl). Same options and seed, same history.",
     "isolde gen --out h.jsonl --transactions 100k --level snapshot-isolation\n"
     "isolde gen --out bad.isl --transactions 10k --level snapshot-isolation --plant lost-update:0.001"},
    {"explain", "[NAME]", 0, 1, "what a level or an anomaly means, with the smallest history that shows it", "",
     "isolde explain write-skew\nisolde explain snapshot-isolation\nisolde explain --list"},
    {"demo", "", 0, 0, "the whole way in under a minute: generate, check, plant an anomaly, find it", "",
     "isolde demo"},
    {"record", "[URL]", 0, 1, "a workload run on a real database, saved as a history with all the evidence it gives",
     "URL: sqlite:FILE (without one: a scratch file), postgres://user@host/database, mariadb://…, cockroachdb://…,\n"
     "yugabytedb://…, tidb://…. The workload makes its tables anew; a table of that name\n"
     "that `isolde record` did not make is never touched: the run is refused.\n"
     "While it runs, everything is kept in the folder OUT.recording, readable at any moment, also after a kill -9.\n"
     "--watch checks the run while it goes on and shows violations at once (docs/online.md).\n"
     "Exit status: 0, or that of `isolde check` with --check and of `isolde watch` with --watch; 2 if the run could "
     "not\n"
     "be made.",
     "isolde record --workload list-append --time 10 --check serializable\n"
     "isolde record postgres://me@localhost/test --level serializable --clients 16 --time 60 --out run.isl\n"
     "isolde record --spawn mariadb --workload rmw --level repeatable-read --check snapshot-isolation\n"
     "isolde record --spawn postgres --workload smallbank --level serializable --time 60 --watch"},
    {"watch", "[FILE|-]", 0, 1, "the same verdict, online, on a stream that never ends, in bounded memory",
     "FILE is native JSON Lines (docs/formats.md), a folder that `isolde record` writes, or - for standard input.\n"
     "Violations are shown as soon as nothing that may still come can take them back; a summary at the end, or at\n"
     "ctrl-C. docs/online.md: how an application sends its transactions, what lag, late and suspected mean.\n"
     "Exit status: 0 nothing wrong found, 1 violated, 2 bad usage or input, 3 undecided: something could not be "
     "judged.",
     "isolde watch history.jsonl --level snapshot-isolation\n"
     "isolde watch --listen unix:/tmp/isolde.socket --profile postgres:repeatable-read --checkpoint state\n"
     "tail -f trace.jsonl | isolde watch - --level serializable --method timeline --json\n"
     "isolde watch run.isl.recording --profile mariadb:repeatable-read"},
    {"probe", "[URL…]", 0, kAny, "which anomalies a database lets through at each of its levels",
     "Runs scripted interleavings on real connections, each at every level of the database, and tells which anomalies\n"
     "happened. URL: sqlite:FILE (without one: a scratch file), postgres://user@host/database, mariadb://…, and so "
     "on.\n"
     "It makes tables of its own there (isolde_probe_…) and drops them. docs/probe.md: how to write a scenario.\n"
     "Several URLs are probed one after the other; --html shows them on one page.\n"
     "Exit status: 0 every level kept what it claims, 1 one let through what its claim rules out,\n"
     "2 bad usage or input, 3 undecided: a step did not answer.",
     "isolde probe\n"
     "isolde probe postgres://me@localhost/test --level \"repeatable read\" --transcript\n"
     "isolde probe --spawn mariadb --server-settings innodb_snapshot_isolation=ON --only P4,G2-item\n"
     "isolde probe sqlite: --scenario my.scenario"},
    {"hunt", "[URL]", 0, 1, "random SQL transactions against a real database until a bug is found",
     "Draws schemas and transactions of real SQL, runs them interleaved, works out from the versions of rows that "
     "each\n"
     "statement saw which orders of the same statements without transactions must give the same, runs those too, and\n"
     "compares. What is found is made small and kept as one file, which --replay runs again, there or on another "
     "server.\n"
     "URL: sqlite:FILE (without one: a scratch file), postgres://user@host/database, mariadb://…. It makes tables of "
     "its\n"
     "own there and drops them: take a database that you can spare. docs/hunt.md: how it judges, and what a finding "
     "says.\n"
     "Exit status: 0 nothing found, 1 found (or, with --replay, seen again), 2 bad usage or input, 3 undecided: no "
     "case\n"
     "could be judged.",
     "isolde hunt --time 10\n"
     "isolde hunt --spawn postgres --level serializable --time 10m\n"
     "isolde hunt --spawn mariadb --server-settings innodb_snapshot_isolation=ON --level \"repeatable read\" "
     "--foreign-keys\n"
     "isolde hunt postgres://me@localhost/scratch --level \"repeatable read\" --time 1h --out findings --json\n"
     "isolde hunt --replay findings/finding-001-result.finding --spawn postgres"},
    {"audit", "TRACE", 1, 1, "the anomalies that an application's SQL may suffer under a weak level",
     "TRACE is recorded SQL: a MySQL or MariaDB general log, a PostgreSQL log or csvlog (log_statement = all), a trace "
     "of\n"
     "SQLite, plain SQL with BEGIN and COMMIT, or a recording of `isolde record`. Transactions that do the same are a\n"
     "class; from what the classes do to which columns follows what may go wrong between them at the level, which of "
     "it\n"
     "is likely, and the least to change. docs/audit.md: how to record a trace, how to read the report, hints.\n"
     "--confirm and --spawn run the likeliest anomalies on a real server, in tables of their own.\n"
     "Exit status: 0 no anomaly, 1 some, 2 bad usage or input, 3 undecided: the time ran out.",
     "isolde audit examples/audit/purchase.sql\n"
     "isolde audit general.log --schema schema.sql --level snapshot-isolation\n"
     "isolde audit postgresql.csv --schema postgres://me@localhost/shop --hints hints.toml --json\n"
     "isolde audit examples/audit/purchase.sql --spawn postgres"},
    {"report", "FILE", 1, 1, "a verdict as one self-contained HTML page",
     "FILE is a history, which is checked as `isolde check` does, or what check, probe or audit printed with --json, "
     "or "
     "a\n"
     "finding of `isolde hunt`. The page needs nothing else and fetches nothing: it can be mailed. docs/report.md "
     "shows "
     "it.\n"
     "Exit status: that of `isolde check` for a history, else 0; 2 bad usage or input.",
     "isolde report history.jsonl --level snapshot-isolation\n"
     "isolde report probes.jsonl --out probes.html\n"
     "isolde report isolde-findings/finding-001-result.finding"},
};

constexpr OptionRow kOptions[] = {
    {"level", "LEVEL",
     "isolation level (`isolde explain --list`). check: without it, snapshot-isolation if the history has "
     "database timestamps, else serializable, decides the exit status, and the strongest level that holds is looked "
     "for as by --strongest, with at most a billion steps of work (about 10 seconds) or three times those of the "
     "check. gen: what the history satisfies (snapshot-isolation)",
     "check gen"},
    {"level", "LEVEL",
     "what the stream is held against: for timeline of the snapshot or serializable family (snapshot-isolation); for "
     "mirror a level that has a profile of its own (docs/profiles.md)",
     "watch"},
    {"method", "METHOD",
     "timeline (database timestamps) or mirror (the clients' clocks); without it, timeline if the stream's first "
     "transactions have start_ts and commit_ts, else mirror",
     "watch"},
    {"profile", "NAME",
     "mirror: what the database does at the level it runs at, e.g. postgres:serializable (list below)", "watch"},
    {"profiles", "FILE", "profiles of your own (docs/profiles.md)", "watch record"},
    {"listen", "ADDRESS",
     "take connections at unix:PATH, tcp:PORT (this machine only) or tcp:HOST:PORT; each sends native JSON Lines. A "
     "TCP "
     "port asks for a token",
     "watch"},
    {"token-file", "FILE",
     "its first line is the token that every connection must begin with: {\"token\": \"…\"} (a random one for TCP, "
     "which "
     "is shown once, or kept in the folder of --checkpoint; none for unix:PATH)",
     "watch"},
    {"connections", "N", "at most so many at once (256)", "watch"},
    {"follow", "", "at the end of FILE wait for more, until ctrl-C", "watch"},
    {"checkpoint", "DIR",
     "keep there every few seconds what a restart goes on from, and all violations in DIR/violations.jsonl; after a "
     "restart, or a kill -9, none is lost and none is told twice",
     "watch"},
    {"checkpoint-every", "S", "seconds between two checkpoints (3)", "watch"},
    {"deadline", "S",
     "timeline: what arrives so much later than what read it still counts (10); runs only while no input lies unread",
     "watch"},
    {"silence", "S", "mirror: a session that sends nothing for so long is no longer waited for; 0: wait for ever (10)",
     "watch"},
    {"hold", "S",
     "mirror: keep each transaction for so long, in case that a session appears that was not heard of before (1; of a "
     "recording 0; a file that is not followed is read to its end first, as far as memory goes)",
     "watch"},
    {"memory", "MiB", "about so much may be held in all for watching (1024)", "watch record"},
    {"sessions", "N", "mirror: at most so many are known at once (65536)", "watch"},
    {"spill", "DIR",
     "timeline: keep on disk what is older than the deadline, so that what is later is still judged; without it, what "
     "is "
     "too late to be judged is counted, and the verdict is undecided",
     "watch"},
    {"max-anomalies", "N",
     "tell so many violations in full; beyond that they are only counted, except with --json (10)", "watch"},
    {"method", "METHOD", "force a method instead of the cheapest that the evidence supports", "check"},
    {"profile", "NAME",
     "method mirror: what the database does at its level, as postgres:repeatable-read (docs/profiles.md)", "check"},
    {"profiles", "FILE", "method mirror: more profiles, of your own", "check"},
    {"explain-method", "",
     "say of every method whether it could judge this history at this level, and why one is taken", "check"},
    {"no-guess", "",
     "solver: prove without guessing an order first from clocks, lines or sessions (to measure what that saves)",
     "check"},
    {"use", "E,…",
     "turn evidence on: session, realtime (the level with that order added is judged), versions, timestamps (commit "
     "timestamps are the order of versions where nothing else tells)",
     "check"},
    {"ignore", "E,…",
     "turn evidence off: session, realtime (the level without that order is judged), versions, timestamps (as if the "
     "history had none)",
     "check"},
    {"format", "FORMAT", "force the input's format instead of recognising it", "check convert"},
    {"to", "FORMAT", "the output's format, where its name does not say it", "convert"},
    {"lossy", "",
     "write a format that cannot carry all of the history: leave out what it cannot, though a verdict may depend on it",
     "convert"},
    {"lenient", "",
     "use what can be read of a damaged recording, with a note: a last line that is cut off is dropped, fields that "
     "the "
     "format does not have are ignored and counted",
     "check convert"},
    {"lenient", "", "fields that the format does not have are ignored and counted, instead of an error", "watch"},
    {"initial", "VALUE",
     "what keys hold before their first write, where the history does not say it: 0, null, true, \"text\" (null, or "
     "what "
     "the format means: docs/formats.md). Keys that are appended to begin empty",
     "check convert"},
    {"order", "commit_ts", "take commit timestamps as the serialization order", "check"},
    {"prove", "", "re-check the verdict from the history alone, without any engine's code", "check"},
    {"strongest", "",
     "say what is known of every level and which is the strongest that holds, however much work that takes; of a "
     "violated history this is said unasked, if it takes no more than 100 million steps of work (about a second) or "
     "twice those of the check",
     "check"},
    {"max-anomalies", "N", "keep the details of at most N anomalies; all are counted (1000)", "check"},
    {"anomalies", "N", "explain the first N anomalies (3)", "check"},
    {"html", "OUT", "write the report as one self-contained HTML page to OUT (docs/report.md)",
     "check probe hunt audit"},
    {"html", "OUT",
     "with --check, --watch or both: write what they found, with plots of the run, as one HTML page to OUT "
     "(docs/report.md)",
     "record"},
    {"html", "OUT", "at the end, or when stopped: write how it went, with plots, as one HTML page to OUT", "watch"},
    {"out", "OUT", "where the page goes (FILE with the ending .html)", "report"},
    {"level", "LEVEL", "of a history: the level that it is checked against, as `isolde check` takes it", "report"},
    {"format", "FORMAT", "of a history: force its format instead of recognising it", "report"},
    {"initial", "VALUE", "of a history: what keys hold before their first write, as `isolde check` takes it", "report"},
    {"dot", "OUT", "write the explained anomalies as a Graphviz graph to OUT", "check"},
    {"svg", "OUT", "write the cycles of the explained anomalies as a picture (SVG) to OUT", "check"},
    {"out", "FILE", "where the history goes; required", "gen"},
    {"transactions", "N", "how many (10000)", "gen"},
    {"sessions", "N", "how many clients (50)", "gen"},
    {"ops", "N", "operations a transaction (15)", "gen"},
    {"keys", "N", "how many keys (1000)", "gen"},
    {"distribution", "D", "how keys are chosen: uniform, zipf or hotspot (zipf)", "gen"},
    {"overlap", "N", "how many transactions run at once, on average (3)", "gen"},
    {"reads", "SHARE", "share of reads among the operations, 0 to 1 (half of what is no read-modify-write)", "gen"},
    {"rmw", "SHARE",
     "share of read-modify-writes: a read of a key and then a write of it, counted as one operation (0). What is "
     "neither is a write: --reads 0.25 --rmw 0.5 leaves 0.25 of writes",
     "gen"},
    {"aborted", "SHARE", "share of transactions that abort (0)", "gen"},
    {"unknown", "SHARE", "share of transactions whose commit is not answered (0)", "gen"},
    {"type", "T", "register, list or row (register)", "gen"},
    {"predicates", "SHARE", "rows: share of scans, aggregates and predicate updates among the operations (0.5)", "gen"},
    {"selectivity", "SHARE", "rows: about which share of the rows a predicate matches (0.1)", "gen"},
    {"repeated", "", "registers: write the values 1 to 10 again and again, instead of each value once", "gen"},
    {"max-list", "N", "lists: a key that has so many elements is retired, and a fresh one takes its place (32)", "gen"},
    {"evidence", "E,…",
     "what the history carries: timestamps, intervals, op-intervals, versions, order, vsets, or none "
     "(timestamps,intervals). versions:0.9 keeps that share of the versions in their orders, which are then not "
     "complete",
     "gen"},
    {"plant", "ANOMALY[:RATE],…",
     "plant these anomalies (list below), each in that share of the transactions (0.001); ANOMALY=N: exactly N times; "
     "may be given several times",
     "gen", true},
    {"spread", "SHARE",
     "what is planted: the transactions of one anomaly lie apart, over about that share of the history (0: they run "
     "one "
     "right after the other)",
     "gen"},
    {"shuffle", "", "lines in an order that tells nothing; within each session it stays", "gen"},
    {"workload", "W", "what the clients do (list below) (register)", "record"},
    {"level", "LEVEL",
     "the level that transactions run at: one of the database's own names, or the weakest of its levels that claims "
     "this one (its default)",
     "record"},
    {"clients", "N", "connections, each with a thread of its own (8)", "record"},
    {"time", "S", "how long transactions are started (10)", "record"},
    {"transactions", "N", "stop after so many instead, of all clients together, aborted ones too", "record"},
    {"rate", "N", "at most about so many transactions a second, of all clients together (as many as can be)", "record"},
    {"keys", "N", "how many keys or rows (what the workload takes)", "record"},
    {"ops", "N", "operations a transaction (what the workload takes)", "record"},
    {"reads", "SHARE", "share of reads, 0 to 1 (what the workload takes)", "record"},
    {"distribution", "D", "how keys are chosen: uniform, zipf or hotspot (what the workload takes)", "record"},
    {"scale", "N", "tpcc: warehouses; smallbank: thousands of customers (1)", "record"},
    {"repeated", "", "write the values 1 to 10 again and again, instead of each value once", "record"},
    {"rollbacks", "SHARE", "so many of the transactions are rolled back instead of committed, 0 to 1 (0)", "record"},
    {"think", "S",
     "how long a client waits before it ends a transaction, on average: transactions overlap on any machine (0)",
     "record"},
    {"for-update", "", "read with FOR UPDATE what is going to be written", "record"},
    {"out", "FILE", "where the history goes (.jsonl or .isl)", "record"},
    {"overwrite", "", "replace what --out names: without it a recording that is there already is kept", "record"},
    {"check", "LEVEL", "check what was recorded at once", "record"},
    {"watch", "",
     "check the run while it goes on, by the clients' clocks, against the profile of the server and its level "
     "(docs/online.md)",
     "record"},
    {"profile", "NAME", "watch against this profile instead", "record"},
    {"password-file", "FILE",
     "its first line is the password of the database, which then need not stand in the URL (or PGPASSWORD, ~/.pgpass, "
     "MYSQL_PWD)",
     "record probe hunt audit"},
    {"spawn", "SERVER", "start a scratch server of its own: postgres or mariadb", "record probe hunt"},
    {"server-path", "DIR", "the folder of the server's programs, for --spawn (the newest that is installed)",
     "record probe hunt"},
    {"server-settings", "NAME=VALUE,…", "settings of the server that --spawn starts", "record probe hunt"},
    {"faults", "FAULT:N,…",
     "what goes wrong in the run, N times each, at random moments: kill-connections, terminate-backends, restart, "
     "crash (the last two of a server that --spawn started)",
     "record"},
    {"no-evidence", "", "ask the database for nothing but the answers: no transaction ids, snapshots, places or log",
     "record"},
    {"shadow", "",
     "PostgreSQL: read the version set of each predicate read in a shadow transaction that shares its snapshot",
     "record"},
    {"no-trace", "", "run the same statements and record nothing (to measure what recording costs)", "record"},
    {"level", "LEVEL,…", "only these levels, by the database's names or by ours (all)", "probe"},
    {"only", "NAME,…", "only these scenarios (all)", "probe"},
    {"scenario", "FILE,…",
     "a scenario of your own, which is run instead of those that come with Isolde; with --only: beside them. May stand "
     "several times",
     "probe", true},
    {"list", "", "list the scenarios: what each shows, and where it comes from", "probe"},
    {"transcript", "", "print every interleaving as it ran: what each step returned, who waited until when", "probe"},
    {"wait", "S", "how long a step may give no answer while the server does not say that it waits (2)", "probe"},
    {"level", "LEVEL",
     "the level that transactions run at, by the database's name or the weakest of its levels that claims this one "
     "(its default); it is held to what it claims",
     "hunt"},
    {"time", "S", "how long, as 30, 10m or 2h (60)", "hunt"},
    {"cases", "N", "stop after so many cases (as many as the time allows)", "hunt"},
    {"orders", "N", "how many orders of a case's statements are run alone (3)", "hunt"},
    {"writes", "SHARE", "share of statements that write, 0 to 1 (0.5)", "hunt"},
    {"foreign-keys", "", "tables refer to each other, some with ON DELETE CASCADE", "hunt"},
    {"views", "", "statements read views, too", "hunt"},
    {"generated-columns", "", "tables have generated columns", "hunt"},
    {"against", "URL",
     "ask another server of the same kind (another version, say) some of the same statements, and report differences",
     "hunt"},
    {"max-findings", "N", "stop after findings of so many different causes (10)", "hunt"},
    {"out", "DIR", "where findings go, a file each; made when there is one (isolde-findings)", "hunt"},
    {"replay", "FILE",
     "run one finding again instead, at its level and with its settings: on URL, or on what --spawn starts, or else on "
     "a scratch server of its kind",
     "hunt"},
    {"trust-file", "",
     "run whatever the file says. Without it, statements that reach beyond the file's own tables are refused: a file "
     "may come from anybody, and is run with your rights",
     "hunt probe"},
    {"markdown", "", "with --replay: what was seen, as a report for the tracker of the database", "hunt"},
    {"level", "LEVEL",
     "the level that the application runs at: read-committed, repeatable-read (as MySQL means it) or "
     "snapshot-isolation; rc, rr and si for short (read-committed)",
     "audit"},
    {"one-level", "", "run every transaction at --level, whatever level the trace says for it", "audit"},
    {"schema", "FILE|URL",
     "tables, columns and keys: a CSV (table,column,type,default,key), DDL or a dump, or the database itself (what the "
     "statements show)",
     "audit"},
    {"hints", "FILE", "what you know of the application, as TOML (docs/audit.md)", "audit"},
    {"confirm", "URL", "run the anomalies that are shown on this database, at the level and at serializable", "audit"},
    {"spawn", "SERVER", "confirm on a scratch server of its own instead: postgres or mariadb", "audit"},
    {"server-path", "DIR", "the folder of the server's programs, for --spawn (the newest that is installed)", "audit"},
    {"server-settings", "NAME=VALUE,…", "settings of the server that --spawn starts", "audit"},
    {"show", "N", "how many anomalies are shown, the likeliest first (3)", "audit"},
    {"classes", "", "list the classes of transactions", "audit"},
    {"format", "FORMAT", "force the trace's format instead of recognising it (docs/audit.md)", "audit"},
    {"dialect", "D", "mysql, postgres or sqlite, where the trace does not show it", "audit"},
    {"infer-unique", "",
     "columns that never had the same value in two concurrent transactions are taken as never shared", "audit"},
    {"no-commutative", "", "two updates x = x + n depend on each other, too", "audit"},
    {"no-count-rule", "", "count(*) reads what an UPDATE of other columns writes, too", "audit"},
    {"no-insert-rule", "",
     "an INSERT may follow another write of its row, and rows that were found may be inserted later", "audit"},
    {"no-delete-rule", "", "two that delete one row, or change and delete it, depend on each other, too", "audit"},
    {"no-id-rule", "", "a row may be named by the id that the database is going to give it", "audit"},
    {"no-own-rule", "", "rows that a transaction inserted itself may be changed by others before it commits", "audit"},
    {"no-recheck-rule", "",
     "an UPDATE whose WHERE asks again for what was read (an optimistic lock) does not protect that read", "audit"},
    {"no-scope", "", "do not look for what is read in one transaction and acted upon in a later one", "audit"},
    {"paper", "", "judge as the paper IsoDiff does: its edges and its rule of time (docs/audit.md)", "audit"},
    {"k", "N", "ways back that are tried for each dangerous path (5)", "audit"},
    {"l", "N", "cycles of operations that are tried for each way (5)", "audit"},
    {"dot", "OUT", "write the classes and their dependencies as a Graphviz graph to OUT", "audit"},
    {"list", "", "list all levels and anomalies", "explain"},
    {"json", "", "machine-readable: one JSON object an input, on standard output", ""},
    {"quiet", "", "only the verdict, or nothing where there is none", ""},
    {"seed", "N", "seed of everything random (1)", ""},
    {"threads", "N", "how many threads may work (all cores; for the method mirror 1)", ""},
    {"timeout", "S", "stop after so long (10, 2.5, 10s, 5m), reading included, and answer undecided", ""},
    {"help", "", "this text", ""},
    {"version", "", "the version", ""},
};

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }
std::span<const OptionRow> options() { return kOptions; }

}  // namespace isolde::cli
