// check.ts: the page of a checked history: the verdict first, then what it rests on, then one anomaly at a time.
import { anomalies } from './anomalies';
import type { CheckPage, Fact } from './data';
import { breakable, grouped, h, section } from './dom';
import { lattice } from './lattice';
import { plots } from './plots';
import { whole_timeline } from './whole';

export const kMarks = { satisfied: '✓', violated: '✗', undecided: '?' } as const;

export function headline(mark: string, state: string, title: string, below: string): HTMLElement {
  return h('header', { class: `headline ${state}` }, h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
    h('div', {}, h('h1', {}, title), below === '' ? null : h('p', {}, below)));
}

export function facts(list: Fact[]): HTMLElement {
  return h('dl', { class: 'facts' }, ...list.map((fact) => h('div', {}, h('dt', {}, fact.name), h('dd', {}, ...breakable(fact.value)))));
}

// Goes to the first anomaly that has the transaction. False: none that is shown has.
function open_anomaly_of(page: CheckPage, name: string): boolean {
  const place = page.anomalies.findIndex((anomaly) => anomaly.transactions.some((one) => page.transactions[one]!.id === name));
  if (place < 0) return false;
  location.hash = `anomaly-${place + 1}`;
  document.getElementById('anomalies')?.scrollIntoView({ behavior: 'smooth' });
  return true;
}

export function check_page(page: CheckPage): HTMLElement[] {
  const counts = page.counts.length === 0 ? null
    : section('What was found', 'counts', h('table', {},
      h('thead', {}, h('tr', {}, h('th', {}, 'anomaly'), h('th', { class: 'number' }, 'times'), h('th', {}, 'meaning'))),
      h('tbody', {}, ...page.counts.map((row) => h('tr', {}, h('td', {}, row.name), h('td', { class: 'number' }, grouped(row.count)), h('td', {}, row.meaning))))));
  const notes = page.notes.length === 0 ? null : section('Notes', 'notes', h('ul', {}, ...page.notes.map((note) => h('li', {}, note))));
  return [
    headline(kMarks[page.verdict], page.verdict, page.summary, page.file),
    facts(page.facts),
    counts,
    anomalies(page),
    page.levels.length === 0 ? null : section('Levels', 'levels', h('p', {}, `${page.weaker.length > 0 ? 'Each level implies those below that it is joined to. ' : ''}The one that was asked for has a heavy border.`), lattice(page)),
    page.whole ? whole_timeline(page.whole, page.faults ?? [], (name) => open_anomaly_of(page, name)) : null,
    plots(page.plots),
    notes,
  ].filter((part): part is HTMLElement => part !== null);
}
