// data.ts: what the C++ side puts into the page (src/report/page). Nothing here is trusted to be HTML: every text is
// shown as text.

import type { AuditJson, CheckJson, ProbeJson } from './from_json';

export type Verdict = 'satisfied' | 'violated' | 'undecided';

export interface Made {
  version: string;
  command?: string;
}

// One thing to say about the run: a name and a value, shown in a table.
export interface Fact {
  name: string;
  value: string;
}

export interface LevelState {
  name: string;
  state: Verdict | 'not-tested' | 'unknown';
  asked: boolean;
  meaning: string;
}

// A dependency between two transactions. Transactions are places in CheckPage.transactions.
export interface Step {
  from: number;
  to: number;
  type: string; // ww, wr, rw, so, rt …
  key?: string;
  from_op?: number; // places in Transaction.ops
  to_op?: number;
  text: string;
}

export interface Anomaly {
  name: string;
  meaning: string;
  text: string;
  contradiction: string;
  transactions: number[];
  steps: Step[];
  keys: number[]; // places in CheckPage.keys
  cases?: CaseLine[];
}

// A proof by cases: lines, indented; some stand for a cycle that closes.
export interface CaseLine {
  depth: number;
  text: string;
  steps?: Step[];
}

export interface Op {
  kind: 'r' | 'w' | 'a' | 'p'; // read, write, append, predicate
  key: string;
  text: string;
}

export interface Transaction {
  id: string;
  session: string;
  status: 'committed' | 'aborted' | 'unknown';
  begin?: number; // of the client's clock
  end?: number;
  start_ts?: number;
  commit_ts?: number;
  ops: Op[];
  around?: boolean; // of no anomaly: there to show what went on beside
}

export interface KeyVersions {
  key: string;
  order: string; // what it comes from
  // Some of them. by, read_by: places in CheckPage.transactions.
  versions: { place: number; value: string; writer: string; by?: number; read_by?: number[] }[];
  count: number; // of all
}

// Something that was done to the system: a restart, a killed connection, what a nemesis did.
export interface Fault {
  name: string;
  detail?: string;
  from: number; // of the client's clock; in a Plot, of its axis
  to?: number; // left out: a moment
}

export interface Series {
  name: string;
  unit: string;
  values: (number | null)[];
}

export interface Plot {
  title: string;
  unit: string; // of `at`; empty: that of the clients' clock
  at: number[];
  series: Series[];
  faults?: Fault[];
}

// Every transaction of a history, a few bytes each (src/report/page/whole_timeline.h).
export interface WholeTimeline {
  clock: 'client' | 'database' | 'place';
  unit: 'ns' | '';
  count: number; // of bars
  of: number; // transactions
  low: string; // the first time
  tick: number; // what 1 stands for
  lanes: string[]; // sessions
  numbered: boolean; // ids are numbers, in `bars`
  ids?: string[];
  bars: string; // base64 of varints: from (after the one before), for how long, lane * 8 + flags, id (less the one before)
}

export interface CheckPage {
  kind: 'check';
  made: Made;
  file: string;
  level: string;
  verdict: Verdict;
  summary: string;
  facts: Fact[];
  notes: string[];
  levels: LevelState[];
  weaker: [number, number][]; // places in levels: the first implies the second
  counts: { name: string; count: number; meaning: string }[];
  anomalies: Anomaly[];
  anomalies_left_out: number;
  transactions: Transaction[];
  keys: KeyVersions[];
  clock: 'ns' | ''; // unit of the clients' clock; empty: nobody knows it
  plots: Plot[];
  whole?: WholeTimeline;
  faults?: Fault[];
  watch?: WatchPage; // the run was watched while it was recorded
}

export interface ProbeCell {
  // broken: it happened although what the level claims rules it out.
  state: 'prevented' | 'happened' | 'broken' | 'failed' | 'skipped';
  how: string;
  transcript: { who: string; sql: string; answer: string }[];
  left_out: number; // steps, where the page has no room for them
  meaning: string;
}

export interface ProbePage {
  kind: 'probe';
  made: Made;
  servers: {
    name: string;
    levels: string[];
    claims: string[];
    kept: Verdict[]; // by level: whether it kept its claim
    strongest: string[];
    cases: { name: string; meaning: string; cells: ProbeCell[] }[];
    cases_left_out: number;
  }[];
}

// An interleaving: who does what, from top to bottom.
export interface Interleaving {
  members: string[];
  steps: { who: number; sql: string; remark?: string; answer?: string; guilty?: boolean }[];
}

export interface AuditPage {
  kind: 'audit';
  made: Made;
  file: string;
  level: string;
  summary: string;
  facts: Fact[];
  classes: { name: string; transactions: number; statements: string[]; reads_only: boolean }[];
  edges: { from: number; to: number; kinds: string; columns: string[] }[];
  anomalies: {
    name: string;
    meaning: string;
    words: string;
    cycles: number;
    story: Interleaving;
    confirmed?: { server: string; level: string; happened: boolean; why: string; serializable: string };
  }[];
  // What is checked in one transaction of a request and acted upon in a later one; `requests`: how requests were found.
  requests: string;
  scope: { name: string; words: string; same_user: boolean; story: Interleaving }[];
  targets: { column: string; round: number; cycles: number; advice: { text: string; before: string; after: string }[] }[];
  rules: { name: string; removed: number }[];
  not_understood: { sql: string; times: number; why: string }[];
  left_out: Record<string, number>; // of which list the page has not all
}

export interface HuntPage {
  kind: 'hunt';
  made: Made;
  file: string;
  summary: string;
  facts: Fact[];
  findings: {
    title: string;
    words: string;
    schema: string;
    story: Interleaving;
    diff: { place: string; expected: string; seen: string }[];
    markdown: string;
  }[];
  findings_left_out: number;
}

// Something that a watch found. `transactions` and `steps` are its picture, with places in WatchPage.transactions.
export interface WatchFinding {
  found: number; // seconds since the start
  name: string;
  meaning: string;
  rule: string;
  text: string;
  key: string;
  ids: string[]; // of the transactions, the guilty one first
}

export interface WatchPage {
  kind: 'watch';
  made: Made;
  verdict: Verdict;
  summary: string;
  facts: Fact[];
  counts: { name: string; count: number }[];
  violations: (WatchFinding & { transactions: number[]; steps: Step[] })[];
  violations_left_out: number;
  transactions: Transaction[];
  suspicions: (WatchFinding & { why: string })[];
  suspicions_left_out: number;
  late: { found: number; id: string; session: string }[];
  late_left_out: number;
  notes: string[];
  plots: Plot[];
}

// As it stands in the page: probes, audits and reports of files are what the verb prints with --json.
export type PageData =
  | CheckPage
  | HuntPage
  | WatchPage
  | { kind: 'waiting'; made: Made } // of a run that is followed and has not begun
  | { kind: 'checked'; made: Made; report: CheckJson }
  | { kind: 'probe'; made: Made; probes: ProbeJson[]; probes_left_out?: number }
  | { kind: 'audit'; made: Made; audit: AuditJson };
