// from_json.ts: what the verbs print with --json, as the pages show it. `isolde report FILE` takes those files too.
import type { AuditPage, CheckPage, Interleaving, Made, ProbeCell, ProbePage, Step, Verdict } from './data';
import { grouped } from './dom';

// ---- isolde probe --json ----

interface ProbeEvent {
  step: number;
  transaction: string;
  kind: string;
  event: string;
  sql?: string;
  missing?: string;
  code?: string;
  error?: string;
  rows?: unknown[][];
  changed?: number;
  waited_until_step?: number;
}

export interface ProbeJson {
  database: string;
  url: string;
  levels: { name: string; default: boolean; claims: string; strongest: string[]; forbidden?: string[]; undecided?: string[] }[];
  cases: {
    name: string;
    title: string;
    cells: { level: string; outcome: string; by: string; by_text: string; ends: string[]; final: Record<string, unknown[][]>; transcript: ProbeEvent[]; left_out?: number }[];
  }[];
  cases_left_out?: number;
}

function answer_of(event: ProbeEvent): string {
  if (event.missing) return `not sent: ${event.missing}`;
  if (event.event === 'blocked') return 'waits';
  if (event.error !== undefined) return `error ${event.code}: ${event.error}`;
  const waited = event.waited_until_step === undefined ? '' : ', after waiting';
  if (event.rows) return (event.rows.length === 0 ? 'no rows' : event.rows.map((row) => row.map(String).join(', ')).join(' | ')) + waited;
  if (event.changed !== undefined) return `${event.changed} changed${waited}`;
  return event.event === 'answered' ? `ok${waited}` : event.event;
}

// `claim`: of the level, where it rules this case out.
function cell_of(cell: ProbeJson['cases'][number]['cells'][number], title: string, claim: string): ProbeCell {
  const ended = cell.ends.map((end, i) => `T${i + 1} ${end}`).join(', ');
  const happened = cell.outcome === 'happened';
  return {
    state: happened ? (claim === '' ? 'happened' : 'broken') : cell.outcome === 'prevented' ? 'prevented' : 'failed',
    how: cell.by,
    meaning: `${title}. ${happened ? (claim === '' ? 'It happened, which the level allows' : `It happened, although ${claim} rules it out`) : cell.outcome === 'prevented' ? 'It was prevented' : 'It could not be told'}${cell.by_text ? `: ${cell.by_text}` : ''}. ${ended}.`,
    left_out: cell.left_out ?? 0,
    transcript: cell.transcript
      .filter((event) => event.event !== 'sent')
      .map((event) => ({ who: event.transaction, sql: event.sql ?? event.kind.toUpperCase(), answer: answer_of(event) })),
  };
}

export function probe_from(made: Made, probes: ProbeJson[]): ProbePage {
  return {
    kind: 'probe', made,
    servers: probes.map((probe) => ({
      name: probe.database,
      levels: probe.levels.map((level) => level.name + (level.default ? ' ★' : '')),
      claims: probe.levels.map((level) => level.claims),
      kept: probe.levels.map((level): Verdict => ((level.forbidden ?? []).length > 0 ? 'violated' : (level.undecided ?? []).length > 0 ? 'undecided' : 'satisfied')),
      strongest: probe.levels.map((level) => level.strongest.join(', ')),
      cases: probe.cases.map((one) => ({ name: one.name, meaning: one.title, cells: one.cells.map((cell, i) => cell_of(cell, one.title, (probe.levels[i]?.forbidden ?? []).includes(one.name) ? probe.levels[i]!.claims : '')) })),
      cases_left_out: probe.cases_left_out ?? 0,
    })),
  };
}

// ---- isolde audit --json ----

interface AuditRun {
  level: string;
  happened: string;
  why: string;
}

interface AuditStep {
  transaction: number;
  kind: string;
  sql: string;
  remark: string;
}

export interface AuditJson {
  file: string;
  level: string;
  verdict: string;
  trace: { format: string; sessions: number; transactions: number; statements: number; understood: number };
  not_understood: { line: number; times: number; why: string; sql: string }[];
  schema: { tables: number; columns: number };
  classes: { name: string; transactions: number; reads_only: boolean; statements: string[] }[];
  graph: { transaction_edges: number; operation_edges: number; dangerous_paths: number };
  dependencies?: { from: number; to: number; kinds: string; columns: string[] }[];
  removed: { rule: string; dependencies: number }[];
  searches: { found: number; not_in_time: number; not_correlated: number; by_hints: number; valid: number }[];
  anomalies: {
    name: string;
    meaning: string;
    text: string;
    transactions: string[];
    dependencies: { from: number; to: number; type: string; column: string }[];
    steps: AuditStep[];
    cycles: number;
    confirmation: { confirmed: boolean; server: string; at_level: AuditRun; at_serializable: AuditRun } | null;
  }[];
  requests?: { count: number; evidence: string; sure: string; why: string } | null;
  scope?: {
    kind: string;
    column: string;
    times: number;
    writes: number;
    read_line: number;
    write_line: number;
    same_user?: boolean;
    text?: string;
    steps?: AuditStep[];
  }[];
  targets: { column: string; round: number; cycles: number; advice: { text: string; before: string; after: string }[] }[];
  stats: { seconds: { reading: number; searching: number }; peak_mib: number };
  left_out?: Record<string, number>;
}

function columns_of(anomaly: AuditJson['anomalies'][number]): string {
  return [...new Set(anomaly.dependencies.map((edge) => edge.column))].slice(0, 3).join(', ');
}

function story_of(members: string[], steps: AuditStep[]): Interleaving {
  return {
    members,
    steps: steps.map((step) => ({
      who: step.transaction - 1,
      sql: step.kind === 'continues' ? '(goes on)' : step.sql,
      guilty: step.remark !== '',
      ...(step.remark ? { remark: step.remark } : {}),
    })),
  };
}

const kScopeKinds: Record<string, string> = {
  overwrites: 'read, and later overwritten',
  acts: 'read, and later changed on the strength of that',
  inserts: 'looked for, and a row with it is inserted later',
};

export function audit_from(made: Made, audit: AuditJson): AuditPage {
  const first = audit.searches[0];
  const kinds = audit.anomalies.length + (audit.left_out?.['anomalies'] ?? 0);
  return {
    kind: 'audit', made, file: audit.file, level: audit.level,
    summary: kinds === 0 ? `Nothing can go wrong at ${audit.level}, as far as the trace shows` : `${grouped(kinds)} ${kinds === 1 ? 'kind' : 'kinds'} of anomaly at ${audit.level}`,
    facts: [
      { name: 'trace', value: `${grouped(audit.trace.statements)} statements in ${grouped(audit.trace.transactions)} transactions of ${grouped(audit.trace.sessions)} sessions (${audit.trace.format})` },
      { name: 'understood', value: `${audit.trace.statements === 0 ? 100 : +((100 * audit.trace.understood) / audit.trace.statements).toFixed(2)} % of the statements` },
      { name: 'schema', value: `${grouped(audit.schema.tables)} tables, ${grouped(audit.schema.columns)} columns` },
      { name: 'classes', value: `${grouped(audit.classes.length)}, ${grouped(audit.graph.transaction_edges)} dependencies between them, ${grouped(audit.graph.dangerous_paths)} dangerous paths` },
      { name: 'cycles', value: first ? `${grouped(first.found)} found, ${grouped(first.valid)} can happen` : 'none' },
      { name: 'cost', value: `reading ${audit.stats.seconds.reading.toFixed(2)} s, searching ${audit.stats.seconds.searching.toFixed(2)} s, peak ${audit.stats.peak_mib} MiB` },
    ],
    classes: audit.classes,
    edges: (audit.dependencies ?? []).map((edge) => ({ ...edge, from: edge.from - 1, to: edge.to - 1 })),
    anomalies: audit.anomalies.map((anomaly) => ({
      name: `${anomaly.name} on ${columns_of(anomaly)}`,
      meaning: anomaly.meaning,
      words: anomaly.text,
      cycles: anomaly.cycles,
      story: story_of(anomaly.transactions, anomaly.steps),
      ...(anomaly.confirmation ? { confirmed: {
        server: anomaly.confirmation.server,
        level: anomaly.confirmation.at_level.level,
        happened: anomaly.confirmation.at_level.happened === 'yes',
        why: anomaly.confirmation.at_level.why,
        serializable: anomaly.confirmation.at_serializable.happened === 'no' ? 'it does not happen.' : anomaly.confirmation.at_serializable.why,
      } } : {}),
    })),
    requests: audit.requests ? `${grouped(audit.requests.count)} requests, by ${audit.requests.evidence} (${audit.requests.sure}): ${audit.requests.why}` : '',
    scope: (audit.scope ?? []).map((one) => ({
      name: `${one.column}: ${kScopeKinds[one.kind] ?? one.kind}; lines ${one.read_line} and ${one.write_line}, so ${one.times} of ${one.writes} times`,
      words: one.text ?? '',
      same_user: one.same_user ?? false,
      story: story_of(['R1', 'R2'], one.steps ?? []),
    })),
    targets: audit.targets,
    rules: [
      ...audit.removed.map((rule) => ({ name: `${rule.rule} (dependencies)`, removed: rule.dependencies })),
      ...(first ? [
        { name: 'cycles that cannot happen in time', removed: first.not_in_time },
        { name: 'cycles that contradict the rows they share', removed: first.not_correlated },
        { name: 'cycles that hints rule out', removed: first.by_hints },
      ] : []),
    ].filter((rule) => rule.removed > 0),
    not_understood: audit.not_understood,
    left_out: audit.left_out ?? {},
  };
}

// ---- isolde check --json ----

type Name = string | number | null;

interface CheckStep {
  from: Name;
  to: Name;
  type: string;
  key: Name;
  text: string;
}

export interface CheckJson {
  file: string;
  level: string;
  verdict: Verdict;
  method: string;
  reason?: string;
  why?: string;
  format?: string;
  evidence?: string[];
  notes?: string[];
  strongest?: string[];
  levels?: Record<string, Verdict | 'not-tested'>;
  counts?: Record<string, number>;
  anomalies: {
    name: string;
    transactions: Name[];
    text: string;
    contradiction: string;
    steps: CheckStep[];
    cases?: { steps: CheckStep[] }[];
  }[];
  stats?: { transactions: number; operations: number; seconds: { load: number; check: number }; peak_mib: number };
  left_out?: Record<string, number>;
}

// The operations are not there: the history is not at hand. Everything else is.
export function check_from(made: Made, report: CheckJson): CheckPage {
  const places = new Map<string, number>();
  const keys = new Map<string, number>();
  const transactions: CheckPage['transactions'] = [];
  const place_of = (id: Name): number => {
    const text = id === null ? 'the initial state' : typeof id === 'number' ? `T${id}` : id;
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, transactions.length);
    transactions.push({ id: text, session: '', status: 'committed', ops: [] });
    return transactions.length - 1;
  };
  const key_of = (name: Name): number => {
    const text = String(name);
    if (!keys.has(text)) keys.set(text, keys.size);
    return keys.get(text)!;
  };
  const step_of = (step: CheckStep): Step => ({
    from: place_of(step.from), to: place_of(step.to), type: step.type, text: step.text,
    ...(step.key === null ? {} : { key: String(step.key) }),
  });
  const kMost = 40;
  const anomalies = report.anomalies.map((anomaly) => {
    const shown = anomaly.steps.length <= kMost ? anomaly.steps : [...anomaly.steps.slice(0, kMost - 1), anomaly.steps[anomaly.steps.length - 1]!];
    const steps = shown.map(step_of);
    if (shown !== anomaly.steps) {
      const last = steps[kMost - 1]!;
      steps.splice(kMost - 1, 0, { from: steps[kMost - 2]!.to, to: last.from, type: '…', text: `${grouped(anomaly.steps.length - kMost)} more steps` });
    }
    const members = steps.length > 0 ? [...new Set(steps.flatMap((step) => [step.from, step.to]))] : anomaly.transactions.slice(0, kMost).map(place_of);
    return {
      name: anomaly.name, meaning: '', text: anomaly.text, contradiction: anomaly.contradiction, transactions: members, steps,
      keys: [...new Set(anomaly.steps.flatMap((step) => (step.key === null ? [] : [key_of(step.key)])))],
      ...(anomaly.cases ? { cases: anomaly.cases.slice(0, kMost).map((one, i) => ({ depth: 0, text: `case ${i + 1}: a cycle closes`, steps: one.steps.map(step_of) })) } : {}),
    };
  });
  const stats = report.stats;
  const facts = [
    { name: 'level asked', value: report.level },
    { name: 'why undecided', value: report.reason ?? '' },
    { name: 'strongest level that holds', value: (report.strongest ?? []).join(', ') },
    { name: 'method', value: report.why ? `${report.method} (${report.why})` : report.method },
    { name: 'evidence', value: (report.evidence ?? []).join(', ') },
    { name: 'history', value: stats ? `${grouped(stats.transactions)} transactions, ${grouped(stats.operations)} operations (${report.format})` : '' },
    { name: 'cost', value: stats ? `load ${stats.seconds.load.toFixed(2)} s, check ${stats.seconds.check.toFixed(2)} s, peak ${stats.peak_mib.toFixed(0)} MiB` : '' },
  ].filter((fact) => fact.value !== '');
  const verbs: Record<Verdict, string> = { satisfied: 'satisfies', violated: 'violates', undecided: 'is undecided at' };
  return {
    kind: 'check', made, file: report.file, level: report.level, verdict: report.verdict,
    summary: `${report.file.slice(report.file.lastIndexOf('/') + 1)} ${verbs[report.verdict] ?? ''} ${report.level}`,
    facts, notes: report.notes ?? [], weaker: [],
    levels: Object.entries(report.levels ?? {}).map(([name, state]) => ({ name, state, asked: name === report.level, meaning: '' })),
    counts: Object.entries(report.counts ?? {}).map(([name, count]) => ({ name, count, meaning: '' })),
    anomalies, anomalies_left_out: report.left_out?.['anomalies'] ?? 0, transactions,
    keys: [...keys.keys()].map((key) => ({ key, order: '', versions: [], count: 0 })), clock: '',
    plots: [],
  };
}
