// The two tables. A new option is one row here; nothing else lists them.
#include "cli/options.h"

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
     "The name of OUT decides the format, unless --to is given. Details that affect no verdict, such as the names of\n"
     "keys, may be lost; they are listed. If OUT could not hold something that a verdict may depend on, nothing is\n"
     "written, unless --lossy is given.",
     "isolde convert history.edn history.isl"},
    {"gen", "", 0, 0, "generate histories of any size, valid at a level or with planted anomalies",
     "The name of the file decides the format (.jsonl, .isl). The same options and seed give the same history.",
     "isolde gen --out h.jsonl --transactions 100k --level snapshot-isolation\n"
     "isolde gen --out bad.isl --transactions 10k --level snapshot-isolation --plant lost-update:0.001"},
    {"explain", "[NAME]", 0, 1, "define a level or an anomaly and show the smallest history for it", "",
     "isolde explain write-skew\nisolde explain snapshot-isolation\nisolde explain --list"},
    {"demo", "", 0, 0, "a tour in under a minute: record SQLite, check it, provoke an anomaly and find it", "",
     "isolde demo"},
    {"record", "[URL]", 0, 1, "run a workload on a real database and save the history with all available evidence",
     "URL: sqlite:FILE (default: a scratch file), postgres://user@host/database, mariadb://…, mysql://…,\n"
     "cockroachdb://…, yugabytedb://…, tidb://….\n"
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
     "URL: sqlite:FILE (default: a scratch file), postgres://user@host/database, mariadb://…, and so on.\n"
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
     "URL: sqlite:FILE (default: a scratch file), postgres://user@host/database, mariadb://….\n"
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
    {"proxy", "", 0, 0, "record any application's transactions between it and its PostgreSQL server",
     "Point the application at the proxy instead of at the server; nothing else changes. Every client gets its own\n"
     "connection to the server. --out records which row versions each transaction read and wrote. Ctrl-C or SIGTERM\n"
     "ends it, writes the history and prints what passed through. docs/proxy.md says what is recorded, what is not, "
     "and\n"
     "what an application could notice.\n"
     "Exit status: 0 it was ended, 2 bad usage, or the server cannot be reached.",
     "isolde proxy --listen 127.0.0.1:6543 --to postgres://localhost/shop\n"
     "isolde proxy --to postgres://me@%2Frun%2Fpostgresql/shop --out run.jsonl"},
};

constexpr OptionRow kOptions[] = {
    {"level", "LEVEL",
     "isolation level (`isolde explain --list`). check: the default is snapshot-isolation if the history has database "
     "timestamps, otherwise serializable; that level decides the exit status, and the strongest level that holds is "
     "searched for as with --strongest, within a billion steps (about 10 seconds) or three times the steps of the "
     "check. gen: the level that the history satisfies (snapshot-isolation)",
     "check gen"},
    {"level", "LEVEL",
     "the level to check: for timeline, one of the snapshot or serializable families (snapshot-isolation); for "
     "mirror, a level that has its own profile (docs/profiles.md)",
     "watch"},
    {"method", "METHOD",
     "timeline (database timestamps) or mirror (the clients' clocks). Default: timeline if the first transactions of "
     "the stream have start_ts and commit_ts, otherwise mirror",
     "watch"},
    {"profile", "NAME",
     "mirror: how the database works at the level it runs at, e.g. postgres:serializable (listed below)", "watch"},
    {"profiles", "FILE", "profiles of your own (docs/profiles.md)", "watch record"},
    {"listen", "ADDRESS",
     "accept connections at unix:PATH, tcp:PORT (this machine only) or tcp:HOST:PORT; each sends native JSON Lines. A "
     "TCP port requires a token",
     "watch"},
    {"listen", "ADDRESS",
     "where clients connect: HOST:PORT, PORT (this machine only) or unix:PATH. Port 0: any that is free "
     "(127.0.0.1:6543)",
     "proxy"},
    {"to", "URL", "the server: postgres://HOST:PORT, or the folder of its unix socket as HOST; required", "proxy"},
    {"connections", "N", "maximum number of clients at a time; more are refused (1000)", "proxy"},
    {"out", "FILE",
     "PostgreSQL: record what passes, and write the history there (.jsonl or .isl) at the end. Until then, and after a "
     "kill, it is in FILE.wire",
     "proxy"},
    {"tables", "NAME,…", "with --out: record only these tables; with their schema, unless that is public (all)",
     "proxy"},
    {"audit", "FILE",
     "with --out: also write the statements, with their parameters, as a trace for `isolde audit` (docs/traces.md). "
     "Unlike "
     "the history, it contains what the application sends, except statements about passwords",
     "proxy"},
    {"password-file", "FILE",
     "with --out: the first line is the password in --to, for the proxy's own questions to the server", "proxy"},
    {"allow-remote", "",
     "let --listen be an address that other machines can reach: clients then come to the server as from this machine",
     "proxy"},
    {"token-file", "FILE",
     "the first line is the token that every connection must send first: {\"token\": \"…\"}. Default for TCP: a random "
     "token, shown once, or kept in the --checkpoint folder; for unix:PATH: none",
     "watch"},
    {"connections", "N", "maximum number of connections at a time (256)", "watch"},
    {"follow", "", "at the end of FILE, wait for more until ctrl-C", "watch"},
    {"checkpoint", "DIR",
     "save the state there every few seconds, and all violations in DIR/violations.jsonl. A restart, even after kill "
     "-9, continues from there: no violation is lost or reported twice",
     "watch"},
    {"checkpoint-every", "S", "seconds between checkpoints (3)", "watch"},
    {"deadline", "S",
     "timeline: how much later than its reader a writer may arrive and still count (10); the clock runs only while no "
     "input is waiting",
     "watch"},
    {"silence", "S", "mirror: stop waiting for a session that has sent nothing for this long; 0: wait forever (10)",
     "watch"},
    {"hold", "S",
     "mirror: hold each transaction for this long, in case a new session appears (default 1; 0 for a recording; a file "
     "that is not followed is first read to its end, as far as memory allows)",
     "watch"},
    {"memory", "MiB", "approximate memory limit for watching (1024)", "watch record"},
    {"sessions", "N", "mirror: maximum number of sessions known at a time (65536)", "watch"},
    {"spill", "DIR",
     "timeline: keep data older than the deadline on disk, so that late transactions can still be judged. Without it, "
     "those that come too late are counted, and the verdict is undecided",
     "watch"},
    {"memory", "MiB",
     "FILE is a folder of parts (convert --segments): check it in as many passes as keep memory to about this much "
     "(docs/batch.md)",
     "check"},
    {"gather", "MiB",
     "with --memory, and for isolde-mpi: what cannot be judged in parts is brought together if the parts are at most "
     "this large; otherwise it is undecided (2048)",
     "check"},
    {"max-anomalies", "N", "show the first N violations in full and only count the rest; --json prints them all (10)",
     "watch"},
    {"worker", "", "nats://…: check partitions of the stream, beside other workers, until ctrl-C", "watch"},
    {"workers", "N", "nats://…: run N workers in this process as well (0)", "watch"},
    {"partitions", "N",
     "nats://…: number of partitions of the keys, when the stream is created (16); more than there will be workers",
     "watch"},
    {"producers", "N", "nats://…: the stream is over when N producers have ended (default: it never is)", "watch"},
    {"lease", "S",
     "nats://…: seconds after which the partitions of a worker that died are taken over (20); longer than the brokers "
     "take to elect a leader",
     "watch"},
    {"stream-size", "MiB", "nats://…: limit of what is sent but not yet checked; beyond it senders wait (1024)",
     "watch"},
    {"name", "NAME", "nats://…, with --worker: the worker's name (the host's name and a number)", "watch"},
    {"name", "NAME", "the producer's name: letters, digits, - and _ (the host's name and a number)", "send"},
    {"follow", "", "at the end of FILE, wait for more until ctrl-C", "send"},
    {"lenient", "", "ignore fields that the format does not have, instead of failing", "send"},
    {"method", "METHOD", "force a method instead of the cheapest one that the evidence supports", "check"},
    {"profile", "NAME",
     "method mirror: how the database works at its level, e.g. postgres:repeatable-read (docs/profiles.md)", "check"},
    {"profiles", "FILE", "method mirror: profiles of your own", "check"},
    {"explain-method", "",
     "for every method, say whether it could judge this history at this level, and why one was chosen", "check"},
    {"no-guess", "",
     "solver: do not try an order guessed from clocks, lines or sessions first (to measure how much that saves)",
     "check"},
    {"use", "E,…",
     "use evidence: session, realtime (check the level with that order added), versions, timestamps (order versions by "
     "commit timestamp where nothing else orders them)",
     "check"},
    {"ignore", "E,…",
     "ignore evidence: session, realtime (check the level without that order), versions, timestamps (as if the history "
     "had none)",
     "check"},
    {"format", "FORMAT", "force the input format instead of detecting it", "check convert"},
    {"to", "FORMAT", "the output format, if the name of OUT does not show it", "convert"},
    {"segments", "N", "write a folder of N .isl parts, for isolde-mpi and for check --memory (docs/batch.md)",
     "convert"},
    {"lossy", "",
     "write a format that cannot hold the whole history: leave out what does not fit, even if a verdict may depend on "
     "it",
     "convert"},
    {"lenient", "",
     "use the readable part of a damaged recording, with a note: drop a last line that is cut off, ignore and count "
     "fields that the format does not have",
     "check convert"},
    {"lenient", "", "ignore and count fields that the format does not have, instead of failing", "watch"},
    {"initial", "VALUE",
     "the value of keys before their first write, where the history does not give it: 0, null, true, \"text\" "
     "(default: "
     "null, or what the format defines: docs/formats.md). Keys that are appended to start empty",
     "check convert"},
    {"order", "commit_ts", "take the commit timestamps as the serialization order", "check"},
    {"prove", "", "re-check the verdict from the history alone, without the code of any engine", "check"},
    {"strongest", "",
     "report the result for every level and the strongest level that holds, however much work that takes. Without it, "
     "this is reported for a violated history if it takes at most 100 million steps (about a second) or twice the "
     "steps of the check",
     "check"},
    {"max-anomalies", "N", "keep the details of at most N anomalies; all are counted (1000)", "check"},
    {"anomalies", "N", "explain the first N anomalies (3)", "check"},
    {"html", "OUT", "write the report as one self-contained HTML page to OUT (docs/report.md)",
     "check probe hunt audit"},
    {"html", "OUT",
     "with --check or --watch: write their findings, with plots of the run, as one HTML page to OUT (docs/report.md)",
     "record"},
    {"html", "OUT", "at the end, or when stopped: write a summary with plots as one HTML page to OUT", "watch"},
    {"out", "OUT", "where to write the page (FILE with the ending .html)", "report"},
    {"level", "LEVEL", "for a history: the level to check, as in `isolde check`", "report"},
    {"format", "FORMAT", "for a history: force its format instead of detecting it", "report"},
    {"initial", "VALUE", "for a history: the value of keys before their first write, as in `isolde check`", "report"},
    {"dot", "OUT", "write the explained anomalies as a Graphviz graph to OUT", "check"},
    {"svg", "OUT", "write the cycles of the explained anomalies as an SVG image to OUT", "check"},
    {"out", "FILE", "where to write the history; required", "gen"},
    {"transactions", "N", "number of transactions (10000)", "gen"},
    {"sessions", "N", "number of clients (50)", "gen"},
    {"ops", "N", "operations per transaction (15)", "gen"},
    {"keys", "N", "number of keys (1000)", "gen"},
    {"distribution", "D", "how keys are chosen: uniform, zipf or hotspot (zipf)", "gen"},
    {"overlap", "N", "average number of transactions that run at once (3)", "gen"},
    {"reads", "SHARE", "share of reads among the operations, 0 to 1 (half of those that are not read-modify-writes)",
     "gen"},
    {"rmw", "SHARE",
     "share of read-modify-writes: a read of a key followed by a write of it, counted as one operation (0). The "
     "remaining operations are writes: --reads 0.25 --rmw 0.5 leaves 0.25 writes",
     "gen"},
    {"aborted", "SHARE", "share of transactions that abort (0)", "gen"},
    {"unknown", "SHARE", "share of transactions whose commit gets no answer (0)", "gen"},
    {"type", "T", "register, list or row (register)", "gen"},
    {"predicates", "SHARE", "rows: share of scans, aggregates and predicate updates among the operations (0.5)", "gen"},
    {"selectivity", "SHARE", "rows: approximate share of the rows that a predicate matches (0.1)", "gen"},
    {"repeated", "", "registers: write the values 1 to 10 over and over, instead of each value once", "gen"},
    {"max-list", "N", "lists: when a key has N elements, retire it and use a new key in its place (32)", "gen"},
    {"evidence", "E,…",
     "what the history contains: timestamps, intervals, op-intervals, versions, order, vsets, or none "
     "(timestamps,intervals). versions:0.9 keeps that share of the versions in their orders, which are then not "
     "complete",
     "gen"},
    {"plant", "ANOMALY[:RATE],…",
     "plant these anomalies (listed below), each in that share of the transactions (0.001); ANOMALY=N: exactly N "
     "times; may be repeated",
     "gen", true},
    {"spread", "SHARE",
     "spread the transactions of each planted anomaly over about that share of the history (0: they run one right "
     "after another)",
     "gen"},
    {"shuffle", "", "write the lines in random order, except within each session", "gen"},
    {"to", "nats://…",
     "publish what is recorded to a stream on NATS JetStream while the run goes on, as `isolde send` does "
     "(docs/cluster.md)",
     "record"},
    {"name", "NAME", "--to: the producer's name: letters, digits, - and _ (the host's name and a number)", "record"},
    {"workload", "W", "what the clients do (listed below) (register)", "record"},
    {"level", "LEVEL",
     "the level to run transactions at: one of the database's own names, or one of ours, for the weakest of its levels "
     "that claims it (the database's default)",
     "record"},
    {"clients", "N", "number of connections, each with its own thread (8)", "record"},
    {"time", "S", "how long to start transactions (10)", "record"},
    {"transactions", "N", "stop after N transactions instead, counted over all clients and including aborted ones",
     "record"},
    {"rate", "N", "start at most about N transactions per second, over all clients (no limit)", "record"},
    {"keys", "N", "number of keys or rows (depends on the workload)", "record"},
    {"ops", "N", "operations per transaction (depends on the workload)", "record"},
    {"reads", "SHARE", "share of reads, 0 to 1 (depends on the workload)", "record"},
    {"distribution", "D", "how keys are chosen: uniform, zipf or hotspot (depends on the workload)", "record"},
    {"scale", "N", "tpcc: warehouses; smallbank: thousands of customers (1)", "record"},
    {"repeated", "", "write the values 1 to 10 over and over, instead of each value once", "record"},
    {"rollbacks", "SHARE", "share of transactions to roll back instead of committing, 0 to 1 (0)", "record"},
    {"think", "S",
     "average wait of a client before it ends a transaction, so that transactions overlap on any machine (0)",
     "record"},
    {"for-update", "", "use FOR UPDATE for reads of rows that will be written", "record"},
    {"out", "FILE", "where to write the history (.jsonl or .isl)", "record"},
    {"overwrite", "", "replace an existing recording at --out; without it, the run is refused", "record"},
    {"check", "LEVEL", "check the recording right after the run", "record"},
    {"watch", "",
     "check the run while it goes on, by the clients' clocks, against the profile of the server at its level "
     "(docs/online.md)",
     "record"},
    {"profile", "NAME", "watch against this profile instead", "record"},
    {"password-file", "FILE",
     "the first line is the database password, so that it need not be in the URL (or use PGPASSWORD, ~/.pgpass, "
     "MYSQL_PWD)",
     "record probe hunt audit"},
    {"spawn", "SERVER", "start a scratch server: postgres or mariadb", "record probe hunt"},
    {"server-path", "DIR", "the folder with the server's programs, for --spawn (the newest installed version)",
     "record probe hunt"},
    {"server-settings", "NAME=VALUE,…", "settings of the server that --spawn starts", "record probe hunt"},
    {"faults", "FAULT:N,…",
     "inject faults, each N times, at random moments: kill-connections, terminate-backends, restart, crash (the last "
     "two need --spawn)",
     "record"},
    {"no-evidence", "",
     "record only the answers: do not ask the database for transaction ids, snapshots, commit positions or its log",
     "record"},
    {"shadow", "",
     "PostgreSQL: read the version set of each predicate read in a shadow transaction that shares its snapshot",
     "record"},
    {"no-trace", "", "run the same statements but record nothing (to measure the cost of recording)", "record"},
    {"level", "LEVEL,…", "only these levels, by the database's names or ours (all)", "probe"},
    {"only", "NAME,…", "only these scenarios (all)", "probe"},
    {"scenario", "FILE,…",
     "run your own scenario instead of the built-in ones; with --only, in addition to them. May be repeated", "probe",
     true},
    {"list", "", "list the scenarios: what each shows, and where it comes from", "probe"},
    {"transcript", "", "print every interleaving as it ran: what each step returned, who waited and until when",
     "probe"},
    {"wait", "S", "how long a step may go without an answer while the server does not report it as waiting (2)",
     "probe"},
    {"level", "LEVEL",
     "the level to run transactions at, by the database's name, or one of ours, for the weakest of its levels that "
     "claims it (the database's default). It is checked against what it claims",
     "hunt"},
    {"time", "S", "how long to run, e.g. 30, 10m or 2h (60)", "hunt"},
    {"cases", "N", "stop after N cases (as many as the time allows)", "hunt"},
    {"orders", "N", "how many orders of each case's statements to run on their own (3)", "hunt"},
    {"writes", "SHARE", "share of statements that write, 0 to 1 (0.5)", "hunt"},
    {"foreign-keys", "",
     "let tables refer to each other in every schema, some with ON DELETE CASCADE (in one of eight)", "hunt"},
    {"views", "", "let statements read views in every schema (in one of eight)", "hunt"},
    {"generated-columns", "", "give tables generated columns in every schema (in one of eight)", "hunt"},
    {"triggers", "", "give tables triggers in every schema (in one of eight)", "hunt"},
    {"partitions", "", "partition tables in every schema, except on SQLite (in one of eight)", "hunt"},
    {"against", "URL",
     "run the statements of some cases on another server as well (another version, say), and report differences; with "
     "--replay --markdown: say whether the finding is seen there, too (may be given several times)",
     "hunt", true},
    {"max-findings", "N", "stop after findings with N different causes (10)", "hunt"},
    {"out", "DIR", "folder for the findings, one file each; created with the first one (isolde-findings)", "hunt"},
    {"replay", "FILE",
     "run one finding again instead, at its level and with its settings: on URL, on the server that --spawn starts, or "
     "otherwise on a scratch server of its kind",
     "hunt"},
    {"trust-file", "",
     "run whatever the file contains. Without it, statements that reach beyond the file's own tables are refused: the "
     "file may come from anyone, and it runs with your rights",
     "hunt probe"},
    {"markdown", "", "with --replay: print the result as a bug report for the database's issue tracker", "hunt"},
    {"level", "LEVEL",
     "the level that the application runs at: read-committed, repeatable-read (as in MySQL) or snapshot-isolation; rc, "
     "rr and si for short (read-committed)",
     "audit"},
    {"one-level", "", "assume --level for every transaction, whatever level the trace gives for it", "audit"},
    {"schema", "FILE|URL",
     "tables, columns and keys: a CSV (table,column,type,default,key), DDL or a dump, or the database itself (default: "
     "what the statements show)",
     "audit"},
    {"hints", "FILE", "what you know about the application, as TOML (docs/audit.md)", "audit"},
    {"confirm", "URL", "run the shown anomalies on this database, at the level and at serializable", "audit"},
    {"spawn", "SERVER", "confirm on a scratch server instead: postgres or mariadb", "audit"},
    {"server-path", "DIR", "the folder with the server's programs, for --spawn (the newest installed version)",
     "audit"},
    {"server-settings", "NAME=VALUE,…", "settings of the server that --spawn starts", "audit"},
    {"show", "N", "number of anomalies to show, likeliest first (3)", "audit"},
    {"classes", "", "list the classes of transactions", "audit"},
    {"format", "FORMAT", "force the trace format instead of detecting it (docs/audit.md)", "audit"},
    {"dialect", "D", "mysql, postgres or sqlite, if the trace does not show it", "audit"},
    {"infer-unique", "", "assume that columns which never had the same value in two concurrent transactions never will",
     "audit"},
    {"no-commutative", "", "let two updates x = x + n depend on each other", "audit"},
    {"no-count-rule", "", "let count(*) depend on an UPDATE of other columns", "audit"},
    {"no-insert-rule", "",
     "let an INSERT follow another write of its row, and let rows that were found be inserted later", "audit"},
    {"no-delete-rule", "", "let two transactions depend on each other that both delete a row, or change and delete it",
     "audit"},
    {"no-id-rule", "", "let a statement name a row by an id that the database has yet to generate", "audit"},
    {"no-own-rule", "", "let others change the rows that a transaction inserted before it commits", "audit"},
    {"no-recheck-rule", "",
     "assume that an UPDATE whose WHERE repeats what was read (an optimistic lock) does not protect that read",
     "audit"},
    {"no-fact", "KIND",
     "do not use facts of this kind that the trace seems to show: equal, choice, same-choice, co-insert, queue, "
     "constant, not-chosen, flow, names, unchanged, or all (docs/audit.md)",
     "audit", true},
    {"set-aside", "", "also show the anomalies that were set aside because of what the trace shows", "audit"},
    {"no-lock-rule", "", "ignore LOCK TABLE and advisory locks", "audit"},
    {"no-view-rule", "", "treat views as tables of their own", "audit"},
    {"no-scope", "", "do not look for values that are read in one transaction and acted on in a later one", "audit"},
    {"requests", "HOW",
     "how to find which transactions belong to one request: auto, comment, connection, pool, gap, gap=2s (a pause on a "
     "connection), opener, or none (docs/audit.md) (auto)",
     "audit"},
    {"paper", "", "judge as in the IsoDiff paper: its edges and its timing rule (docs/audit.md)", "audit"},
    {"k", "N", "number of paths back to try for each dangerous path (5)", "audit"},
    {"l", "N", "number of cycles of operations to try for each path back (5)", "audit"},
    {"dot", "OUT", "write the classes and their dependencies as a Graphviz graph to OUT", "audit"},
    {"list", "", "list all levels and anomalies", "explain"},
    {"json", "", "machine-readable output: one JSON object per input, on standard output", ""},
    {"quiet", "", "print only the verdict, or nothing if there is none", ""},
    {"seed", "N", "seed for everything random (1)", ""},
    {"threads", "N",
     "number of threads (all cores; for watch, proxy and method mirror 1). Mirror with 3 or more leaves predicates "
     "other than "
     "key ranges unchecked",
     ""},
    {"timeout", "S", "stop after this long (10, 2.5, 10s, 5m), including reading, and answer undecided", ""},
    {"help", "", "print this text", ""},
    {"version", "", "print the version", ""},
};

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }
std::span<const OptionRow> options() { return kOptions; }

}  // namespace isolde::cli
