// audit.ts: what an application risks: the anomalies as interleaved SQL, what to change, its classes and their graph.
import type { AuditPage } from './data';
import { facts, headline } from './check';
import { grouped, h, s, section, shortened } from './dom';
import { interleaving } from './interleaving';

// Classes on a circle, a line where two of them depend on each other; the classes of a chosen one are marked.
function class_graph(page: AuditPage): HTMLElement | null {
  const used = [...new Set(page.edges.flatMap((edge) => [edge.from, edge.to]))].sort((a, b) => a - b);
  if (used.length === 0) return null;
  const radius = Math.max(150, used.length * 9);
  const size = radius * 2 + 60;
  const at = new Map(used.map((place, i) => {
    const turn = (i / used.length) * 2 * Math.PI - Math.PI / 2;
    return [place, { x: size / 2 + radius * Math.cos(turn), y: size / 2 + radius * Math.sin(turn) }];
  }));
  const svg = s('svg', { viewBox: `0 0 ${size} ${size}`, class: 'class-graph', role: 'group', 'aria-label': `${used.length} classes that depend on others` });
  const lines = page.edges.filter((edge) => edge.from !== edge.to).map((edge) => {
    const a = at.get(edge.from)!;
    const b = at.get(edge.to)!;
    const line = s('path', { d: `M${a.x},${a.y} Q${size / 2},${size / 2} ${b.x},${b.y}`, class: 'edge' },
      s('title', {}, `${page.classes[edge.from]?.name} → ${page.classes[edge.to]?.name}: ${edge.kinds} ${edge.columns.join(', ')}`));
    svg.append(line);
    return { edge, line };
  });
  for (const place of used) {
    const { x, y } = at.get(place)!;
    const name = page.classes[place]?.name ?? '';
    const mark = (on: boolean): void => lines.forEach(({ edge, line }) => line.classList.toggle('chosen', on && (edge.from === place || edge.to === place)));
    svg.append(s('g', { class: 'class', tabindex: 0, role: 'button', 'aria-label': name, focus: () => mark(true), blur: () => mark(false), mouseenter: () => mark(true), mouseleave: () => mark(false) },
      s('circle', { cx: x, cy: y, r: 11 }), s('text', { x, y: y + 4, 'text-anchor': 'middle' }, String(place + 1)), s('title', {}, name)));
  }
  return h('div', { class: 'scroll' }, svg);
}

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

// The first ones; the rest when it is asked for, since hundreds of tables take a browser long.
function all_anomalies(page: AuditPage): HTMLElement {
  const list = h('div', {}, ...page.anomalies.slice(0, kShownAtFirst).map(one_anomaly));
  const rest = page.anomalies.slice(kShownAtFirst);
  const left = page.left_out['anomalies'] ?? 0;
  const more = rest.length === 0 ? null : h('button', { type: 'button', class: 'more', click: (event) => {
    (event.currentTarget as HTMLElement).remove();
    list.append(...rest.map((anomaly, i) => one_anomaly(anomaly, i + kShownAtFirst)));
  } }, `show all ${grouped(page.anomalies.length)}`);
  return section('What can go wrong', 'anomalies', list, more,
    left === 0 ? null : h('p', { class: 'left-out' }, `${grouped(left)} more are not on this page: isolde audit --json has them all.`));
}

// Of a list that the page has no room for.
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
