// watch.ts: a stream that was watched: the verdict, how it went over time, and the violations that were found.
import { facts, headline, kMarks } from './check';
import type { WatchPage } from './data';
import { grouped, h, section } from './dom';
import { plots } from './plots';

const kShownAtFirst = 20;

function one_violation(violation: WatchPage['violations'][number]): HTMLElement {
  return h('article', { class: 'anomaly' },
    h('h3', {}, violation.name),
    h('p', { class: 'meaning' }, violation.meaning),
    h('p', { class: 'lines' }, violation.text),
    violation.rule ? h('small', {}, `the promise that broke: ${violation.rule}`) : null);
}

function violations(page: WatchPage): HTMLElement | null {
  if (page.violations.length === 0) return null;
  const list = h('div', {}, ...page.violations.slice(0, kShownAtFirst).map(one_violation));
  const rest = page.violations.slice(kShownAtFirst);
  const more = rest.length === 0 ? null : h('button', { type: 'button', class: 'more', click: (event) => {
    (event.currentTarget as HTMLElement).remove();
    list.append(...rest.map(one_violation));
  } }, `show ${grouped(rest.length)} more`);
  const left = page.violations_left_out;
  return section('Violations, as they were found', 'violations', list, more,
    left === 0 ? null : h('p', { class: 'left-out' }, `${grouped(left)} more were counted; with --checkpoint FOLDER all are kept there.`));
}

export function watch_page(page: WatchPage): HTMLElement[] {
  return [
    headline(kMarks[page.verdict], page.verdict, page.summary, ''),
    facts(page.facts),
    page.counts.length === 0 ? null : section('What was found', 'counts', h('table', {},
      h('thead', {}, h('tr', {}, h('th', {}, 'anomaly'), h('th', { class: 'number' }, 'times'))),
      h('tbody', {}, ...page.counts.map((row) => h('tr', {}, h('td', {}, row.name), h('td', { class: 'number' }, grouped(row.count))))))),
    plots(page.plots),
    violations(page),
    page.notes.length === 0 ? null : section('Notes', 'notes', h('ul', {}, ...page.notes.map((note) => h('li', {}, note)))),
  ].filter((part): part is HTMLElement => part !== null);
}
