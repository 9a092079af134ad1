// probe.ts: which anomalies each level of each server lets through; behind each cell the transcript.
import type { ProbeCell, ProbePage, Verdict } from './data';
import { headline, kMarks as kVerdictMarks } from './check';
import { grouped, h, section } from './dom';
import { interleaving } from './interleaving';

const kMarks: Record<ProbeCell['state'], string> = { prevented: '✓', happened: '○', broken: '✗', failed: '?', skipped: '–' };

type Server = ProbePage['servers'][number];

function transcript(title: string, cell: ProbeCell): HTMLElement {
  const members = [...new Set(cell.transcript.map((step) => step.who))].sort();
  return h('div', { class: 'transcript', role: 'region', 'aria-label': title }, h('h3', {}, title), h('p', {}, cell.meaning),
    cell.left_out === 0 ? null : h('p', { class: 'left-out' }, `The ${grouped(cell.left_out)} steps are not on this page, which would be too large: isolde probe --json has them.`),
    members.length === 0 ? null
      : interleaving({ members, steps: cell.transcript.map((step) => ({ who: members.indexOf(step.who), sql: step.sql, answer: step.answer })) }));
}

// The table of a server. A chosen cell opens its transcript below its line.
function matrix(server: Server): HTMLElement {
  let open: { button: HTMLButtonElement; below: HTMLElement } | null = null;
  const close = (): void => {
    open?.button.setAttribute('aria-expanded', 'false');
    open?.below.remove();
    open = null;
  };
  const cell_button = (name: string, level: string, cell: ProbeCell): HTMLElement => {
    const button: HTMLButtonElement = h('button', { type: 'button', class: `cell ${cell.state}`, 'aria-expanded': 'false', 'aria-label': `${name} at ${level}: ${cell.state} ${cell.how}`, click: () => {
      const again = open?.button === button;
      close();
      if (again) return;
      const below = h('tr', { class: 'opened' }, h('td', { colspan: server.levels.length + 1 }, transcript(`${name} at ${level.replace(' ★', '')}`, cell)));
      button.closest('tr')!.after(below);
      button.setAttribute('aria-expanded', 'true');
      open = { button, below };
    } }, `${kMarks[cell.state]} ${cell.how}`);
    return button;
  };
  const sum = (title: string, texts: string[]): HTMLElement =>
    h('tr', { class: 'sum' }, h('th', { scope: 'row' }, title), ...texts.map((text) => h('td', {}, text)));
  return h('div', { class: 'scroll' }, h('table', { class: 'matrix' },
    h('thead', {}, h('tr', {}, h('th', {}, 'case'), ...server.levels.map((level) => h('th', { scope: 'col' }, level)))),
    h('tbody', {},
      server.claims.some((claim) => claim !== '') ? sum('promised', server.claims) : null,
      sum('what was seen fits', server.strongest),
      h('tr', { class: 'sum' }, h('th', { scope: 'row' }, 'promise kept'),
        ...server.kept.map((kept) => h('td', {}, h('strong', { class: `kept ${kept}` }, `${kVerdictMarks[kept]} ${kKept[kept]}`)))),
      ...server.cases.map((one) => h('tr', {}, h('th', { scope: 'row' }, one.name, h('small', {}, one.meaning)),
        ...one.cells.map((cell, i) => h('td', {}, cell_button(one.name, server.levels[i] ?? '', cell))))))));
}

const kKept: Record<Verdict, string> = { satisfied: 'kept', violated: 'not kept', undecided: 'undecided' };

const kStates: [ProbeCell['state'], string][] = [
  ['broken', 'the anomaly happened, though the level promises that it cannot'],
  ['happened', 'the anomaly happened; the level does not rule it out'],
  ['prevented', 'it did not happen; the word beside it says why: blk (a step waited), or the error'],
  ['failed', 'no answer'],
];

function legend(page: ProbePage): HTMLElement {
  const there = new Set(page.servers.flatMap((server) => server.cases.flatMap((one) => one.cells.map((cell) => cell.state))));
  return h('p', { class: 'legend legend-of-cells' },
    ...kStates.filter(([state]) => there.has(state)).map(([state, words]) => h('span', {}, `${kMarks[state]} ${words}`)),
    h('span', {}, '★ the default level of the server'));
}

// "1 of 4 levels allowed what it promises to rule out".
function verdict(page: ProbePage): [Verdict, string] {
  const all = page.servers.flatMap((server) => server.kept);
  const count = (kept: Verdict): number => all.filter((one) => one === kept).length;
  const where = page.servers.length === 1 ? ` of ${page.servers[0]!.name}` : '';
  const levels = `${all.length} ${all.length === 1 ? 'level' : 'levels'}${where}`;
  if (count('violated') > 0) return ['violated', `${count('violated')} of ${levels} allowed what ${count('violated') === 1 ? 'it promises' : 'they promise'} to rule out`];
  if (count('undecided') > 0) return ['undecided', `${count('undecided')} of ${levels} could not be decided`];
  return ['satisfied', all.length === 1 ? `The level${where} kept what it promises` : `All ${levels} kept what they promise`];
}

export function probe_page(page: ProbePage): HTMLElement[] {
  const [state, words] = verdict(page);
  return [
    headline(kVerdictMarks[state], state, words, `${page.servers.map((server) => server.name).join(', ')}: scripted interleavings on real connections. Click a cell to see what was sent and answered.`),
    legend(page),
    ...page.servers.map((server, place) => section(server.name, `server-${place}`, matrix(server),
      server.cases_left_out === 0 ? null : h('p', { class: 'left-out' }, `${grouped(server.cases_left_out)} more cases are not on this page, which would be too large.`))),
  ];
}
