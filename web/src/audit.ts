// audit.ts: what an application risks: the anomalies as interleaved SQL, what to change, its classes and their graph.
import type { AuditPage } from './data';
import { facts, headline } from './check';
import { class_graph } from './class_graph';
import { grouped, h, replace, section, shortened } from './dom';
import { interleaving } from './interleaving';

const kShownAtFirst = 20;

function one_anomaly(anomaly: AuditPage['anomalies'][number], place: number): HTMLElement {
  const confirmed = anomaly.confirmed;
  return h('details', { class: 'anomaly', open: place === 0 },
    h('summary', {}, h('b', {}, anomaly.name), ` ${shortened(anomaly.story.members.join('; '), 120)}`,
      confirmed ? h('span', { class: confirmed.happened ? 'badge bad' : 'badge' }, confirmed.happened ? `happens on ${confirmed.server}` : 'not seen') : null),
    h('p', { class: 'meaning' }, anomaly.words),
    interleaving(anomaly.story),
    confirmed ? h('p', {}, `${confirmed.server} at ${confirmed.level}: ${confirmed.why} At SERIALIZABLE: ${confirmed.serializable}`) : null,
    anomaly.cycles > 1 ? h('p', { class: 'hint' }, `${grouped(anomaly.cycles)} cycles tell this story.`) : null);
}

// Those that pass the filter; the rest of a long list when it is asked for, since hundreds of tables take a browser long.
function all_anomalies(page: AuditPage): HTMLElement {
  const left = page.left_out['anomalies'] ?? 0;
  const kind_of = (anomaly: AuditPage['anomalies'][number]): string => anomaly.name.split(' on ')[0]!;
  const kinds = [...new Set(page.anomalies.map(kind_of))];
  const filter = { kind: '', words: '' };
  const list = h('div', {});
  const place = h('span', { class: 'place', role: 'status' });
  const show = (): void => {
    const passed = page.anomalies.filter((anomaly) => (filter.kind === '' || kind_of(anomaly) === filter.kind)
      && [anomaly.name, ...anomaly.story.members].some((text) => text.toLowerCase().includes(filter.words)));
    const rest = passed.slice(kShownAtFirst);
    place.textContent = passed.length === page.anomalies.length ? `${grouped(passed.length)} in all` : `${grouped(passed.length)} of ${grouped(page.anomalies.length)}`;
    const more = rest.length === 0 ? null : h('button', { type: 'button', class: 'more', click: (event) => {
      (event.currentTarget as HTMLElement).replaceWith(...rest.map((anomaly, i) => one_anomaly(anomaly, i + kShownAtFirst)));
    } }, `show all ${grouped(passed.length)}`);
    replace(list, ...passed.slice(0, kShownAtFirst).map(one_anomaly), more);
  };
  const tools = page.anomalies.length < 4 ? null : h('div', { class: 'bar-of-tools' }, place, h('div', { class: 'filters', role: 'search' },
    h('label', {}, 'kind ', h('select', { name: 'kind', change: (event) => {
      filter.kind = (event.target as HTMLSelectElement).value;
      show();
    } }, h('option', { value: '' }, 'all'), ...kinds.map((kind) => h('option', { value: kind }, kind)))),
    h('label', {}, 'column or class ', h('input', { type: 'search', name: 'words', size: 16, input: (event) => {
      filter.words = (event.target as HTMLInputElement).value.trim().toLowerCase();
      show();
    } }))));
  show();
  return section('What can go wrong', 'anomalies', tools, list,
    left === 0 ? null : h('p', { class: 'left-out' }, `${grouped(left)} more are not on this page: isolde audit --json has them all.`));
}

// No level helps here, so these are apart from the anomalies.
function all_scope(page: AuditPage): HTMLElement {
  return section('Across transactions', 'scope',
    h('p', {}, 'What is read in one transaction of a request is acted upon in a later one. No isolation level helps: put these statements into one transaction, and lock what is read (FOR UPDATE) or let the write ask for it again.'),
    h('p', { class: 'hint' }, page.requests),
    ...page.scope.map((one, place) => h('details', { class: 'anomaly', open: place === 0 },
      h('summary', {}, h('b', {}, one.name), one.same_user ? h('span', { class: 'badge' }, 'two requests of the same user') : null),
      h('p', { class: 'meaning' }, one.words),
      interleaving(one.story))),
    left_out(page, 'scope'));
}

function left_out(page: AuditPage, list: string): HTMLElement | null {
  const left = page.left_out[list] ?? 0;
  return left === 0 ? null : h('p', { class: 'left-out' }, `${grouped(left)} more are not on this page: isolde audit --json has them all.`);
}

export function audit_page(page: AuditPage): HTMLElement[] {
  const found = page.anomalies.length + (page.left_out['anomalies'] ?? 0) > 0;
  return [
    headline(found ? '✗' : '✓', found ? 'violated' : 'satisfied', page.summary, page.file),
    facts(page.facts),
    found ? all_anomalies(page) : null,
    page.scope.length === 0 ? null : all_scope(page),
    page.targets.length === 0 ? null : section('The least to change', 'fixes', h('ol', { class: 'targets' }, ...page.targets.map((target) =>
      h('li', {}, h('b', {}, target.column), ` is in ${grouped(target.cycles)} ${target.cycles === 1 ? 'cycle' : 'cycles'}`,
        ...target.advice.map((advice) => h('div', { class: 'advice' }, h('p', {}, advice.text),
          advice.before ? h('pre', {}, h('del', {}, advice.before), '\n', h('ins', {}, advice.after)) : null)))))),
    section('Transaction classes', 'classes', class_graph(page), left_out(page, 'classes'), h('ol', { class: 'classes' }, ...page.classes.map((one) =>
      h('li', {}, h('details', {}, h('summary', {}, one.name, h('small', {}, ` ${grouped(one.transactions)} ${one.transactions === 1 ? 'time' : 'times'}${one.reads_only ? ', only reads' : ''}`)),
        h('pre', {}, one.statements.join(';\n'))))))),
    page.rules.length === 0 ? null : section('What the rules took away', 'rules', h('table', {}, h('tbody', {}, ...page.rules.map((rule) => h('tr', {}, h('td', {}, rule.name), h('td', { class: 'number' }, grouped(rule.removed))))))),
    page.not_understood.length === 0 ? null : section('Not understood', 'not-understood', h('table', {}, h('tbody', {}, ...page.not_understood.map((row) =>
      h('tr', {}, h('td', {}, h('code', {}, shortened(row.sql, 200))), h('td', { class: 'number' }, grouped(row.times)), h('td', {}, row.why)))))),
  ].filter((part): part is HTMLElement => part !== null);
}
