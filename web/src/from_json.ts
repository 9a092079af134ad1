// from_json.ts: what the verbs print with --json, as the pages show it. `isolde report FILE` takes those files too.
import type { AuditPage, Made, ProbeCell, ProbePage } from './data';
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
  levels: { name: string; default: boolean; claims: string; strongest: string[] }[];
  cases: {
    name: string;
    title: string;
    cells: { level: string; outcome: string; by: string; by_text: string; ends: string[]; final: Record<string, unknown[][]>; transcript: ProbeEvent[] }[];
  }[];
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

function cell_of(cell: ProbeJson['cases'][number]['cells'][number], title: string): ProbeCell {
  const ended = cell.ends.map((end, i) => `T${i + 1} ${end}`).join(', ');
  return {
    state: cell.outcome === 'happened' ? 'happened' : cell.outcome === 'prevented' ? 'prevented' : 'failed',
    how: cell.by,
    meaning: `${title}. ${cell.outcome === 'happened' ? 'It happened' : cell.outcome === 'prevented' ? 'It was prevented' : 'It could not be told'}${cell.by_text ? `: ${cell.by_text}` : ''}. ${ended}.`,
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
      strongest: probe.levels.map((level) => level.strongest.join(', ')),
      cases: probe.cases.map((one) => ({ name: one.name, meaning: one.title, cells: one.cells.map((cell) => cell_of(cell, one.title)) })),
    })),
  };
}

// ---- isolde audit --json ----

interface AuditRun {
  level: string;
  happened: string;
  why: string;
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
    steps: { transaction: number; kind: string; sql: string; remark: string }[];
    cycles: number;
    confirmation: { confirmed: boolean; server: string; at_level: AuditRun; at_serializable: AuditRun } | null;
  }[];
  targets: { column: string; round: number; cycles: number; advice: { text: string; before: string; after: string }[] }[];
  stats: { seconds: { reading: number; searching: number }; peak_mib: number };
}

function columns_of(anomaly: AuditJson['anomalies'][number]): string {
  return [...new Set(anomaly.dependencies.map((edge) => edge.column))].slice(0, 3).join(', ');
}

export function audit_from(made: Made, audit: AuditJson): AuditPage {
  const first = audit.searches[0];
  const kinds = audit.anomalies.length;
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
      story: {
        members: anomaly.transactions,
        steps: anomaly.steps.map((step) => ({
          who: step.transaction - 1,
          sql: step.kind === 'continues' ? '(goes on)' : step.sql,
          guilty: step.remark !== '',
          ...(step.remark ? { remark: step.remark } : {}),
        })),
      },
      ...(anomaly.confirmation ? { confirmed: {
        server: anomaly.confirmation.server,
        level: anomaly.confirmation.at_level.level,
        happened: anomaly.confirmation.at_level.happened === 'yes',
        why: anomaly.confirmation.at_level.why,
        serializable: anomaly.confirmation.at_serializable.happened === 'no' ? 'it does not happen.' : anomaly.confirmation.at_serializable.why,
      } } : {}),
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
  };
}
