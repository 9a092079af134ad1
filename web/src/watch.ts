// watch.ts: a stream that was watched: the verdict, how it went over time, what was violated, suspected and late.
import { facts, headline, kMarks } from './check';
import { cycle_graph } from './cycle_graph';
import type { Transaction, WatchFinding, WatchPage } from './data';
import { grouped, h, replace, section } from './dom';
import { plots } from './plots';
import { timeline } from './timeline';

const kShownAtFirst = 20;

function moment(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

// Who depends on whom; and, where the recording is at hand, when each of them ran.
function picture(violation: WatchPage['violations'][number], transactions: Transaction[]): HTMLElement[] {
  if (violation.transactions.length === 0 || violation.steps.length === 0) return [];
  const drawn = { ...violation, contradiction: '', keys: [] };
  const hint = 'Click an arrow to see what it means.';
  const says = h('p', { class: 'hint says', 'aria-live': 'polite' }, hint);
  let chosen: number | null = null;
  const graph = cycle_graph(drawn, transactions, (step) => {
    chosen = chosen === step ? null : step;
    graph.select(chosen);
    replace(says, chosen === null ? hint : violation.steps[chosen]!.text);
  });
  // An order of whole transactions says nothing of a moment within them.
  const timed = { ...drawn, steps: violation.steps.filter((step) => step.from_op !== undefined && step.to_op !== undefined) };
  const times = violation.transactions.every((place) => transactions[place]!.begin !== undefined)
    ? h('details', {}, h('summary', {}, 'Over time'), timeline(timed, transactions, 'ns')) : null;
  return [h('div', { class: 'scroll picture' }, graph.element), says, ...(times ? [times] : [])];
}

// The rules of the methods, in words; what has another name says more in its text.
const kRules: Record<string, string> = {
  INT: 'a transaction sees its own writes',
  EXT: 'a transaction reads what its snapshot holds',
  NOCONFLICT: 'two transactions that overlap write no key in common',
  SESSION: 'transactions of one session follow one another',
  PREDICATE: 'a condition finds what its snapshot holds',
  TIMESTAMP: 'timestamps are in the order that the database promises',
  REALTIME: 'what began after the end of another comes after it',
};

function finding(one: WatchFinding, ...more: (HTMLElement | null)[]): HTMLElement {
  return h('article', { class: 'anomaly' },
    h('h3', {}, one.name, ' ', h('small', { class: 'found' }, `found after ${moment(one.found)}`)),
    h('p', { class: 'meaning' }, one.meaning),
    h('p', { class: 'lines' }, one.text),
    ...more,
    one.rule ? h('small', {}, `the promise that broke: ${one.rule}${kRules[one.rule] ? ` (${kRules[one.rule]})` : ''}`) : null);
}

// Fills `list` with the first ones; a button brings the rest.
function fill<T>(list: HTMLElement, all: T[], show: (one: T) => HTMLElement): HTMLElement | null {
  list.append(...all.slice(0, kShownAtFirst).map(show));
  const rest = all.slice(kShownAtFirst);
  if (rest.length === 0) return null;
  const more = h('button', { type: 'button', class: 'more', click: () => {
    more.remove();
    list.append(...rest.map(show));
  } }, `show ${grouped(rest.length)} more`);
  return more;
}

function list_of<T>(all: T[], show: (one: T) => HTMLElement): HTMLElement {
  const list = h('div', {});
  return h('div', {}, list, fill(list, all, show));
}

function left_out(count: number, what: string): HTMLElement | null {
  return count === 0 ? null : h('p', { class: 'left-out' }, `${grouped(count)} more ${what}`);
}

function violations(page: WatchPage, prefix: string): HTMLElement | null {
  if (page.violations.length === 0) return null;
  return section('Violations, as they were found', `${prefix}violations`,
    list_of(page.violations, (one) => finding(one, ...picture(one, page.transactions))),
    left_out(page.violations_left_out, 'were counted; with isolde watch --checkpoint FOLDER all are kept there.'));
}

function suspicions(page: WatchPage, prefix: string): HTMLElement | null {
  if (page.suspicions.length === 0) return null;
  return section('Suspected, not yet proven', `${prefix}suspicions`,
    h('p', {}, 'These would be violations, unless a part of the stream that is missing explains them.'),
    list_of(page.suspicions, (one) => finding(one, one.why ? h('p', { class: 'why' }, `Why it is only suspected: ${one.why}.`) : null)),
    left_out(page.suspicions_left_out, 'were counted.'));
}

function late(page: WatchPage, prefix: string): HTMLElement | null {
  if (page.late.length === 0) return null;
  const body = h('tbody', {});
  const more = fill(body, page.late, (one) => h('tr', {}, h('td', {}, h('code', {}, one.id)), h('td', {}, h('code', {}, one.session)), h('td', { class: 'number' }, moment(one.found))));
  return section('Came too late to be judged', `${prefix}late`,
    h('p', {}, 'These transactions came when others that began after them had been judged. They count where that was still possible.'),
    h('table', {},
      h('thead', {}, h('tr', {}, h('th', {}, 'transaction'), h('th', {}, 'session'), h('th', { class: 'number' }, 'came after'))),
      body),
    more,
    left_out(page.late_left_out, 'were counted.'));
}

// As the first violation of that name says it.
const meaning_of = (page: WatchPage, name: string): string => page.violations.find((one) => one.name === name)?.meaning ?? '';

// Below the headline. `prefix`: of the names of its sections, where the page has others.
function parts(page: WatchPage, prefix: string): (HTMLElement | null)[] {
  return [
    facts(page.facts),
    page.counts.length === 0 ? null : section('What was found', `${prefix}counts`, h('table', {},
      h('thead', {}, h('tr', {}, h('th', {}, 'anomaly'), h('th', { class: 'number' }, 'times'), h('th', {}, 'meaning'))),
      h('tbody', {}, ...page.counts.map((row) => h('tr', {}, h('td', {}, row.name), h('td', { class: 'number' }, grouped(row.count)), h('td', {}, meaning_of(page, row.name))))))),
    plots(page.plots, prefix),
    violations(page, prefix),
    suspicions(page, prefix),
    late(page, prefix),
    page.notes.length === 0 ? null : section('Notes', `${prefix}notes`, h('ul', {}, ...page.notes.map((note) => h('li', {}, note)))),
  ];
}

function present(list: (HTMLElement | null)[]): HTMLElement[] {
  return list.filter((part): part is HTMLElement => part !== null);
}

export function watch_page(page: WatchPage): HTMLElement[] {
  return present([headline(kMarks[page.verdict], page.verdict, page.summary, ''), ...parts(page, '')]);
}

// Of a run that was checked afterwards: what was seen while it went on, below that.
export function watched_too(page: WatchPage): HTMLElement[] {
  const heading = h('h2', { id: 'watched-title' }, `${kMarks[page.verdict]} While it ran: ${page.summary}`);
  return [h('section', { id: 'watched', class: 'watched', 'aria-labelledby': 'watched-title' }, heading, ...present(parts(page, 'watched-')))];
}
