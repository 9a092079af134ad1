// hunt.ts: findings of a hunt, each with its reduced case and where the results differ.
import type { HuntPage } from './data';
import { facts, headline } from './check';
import { grouped, h, section } from './dom';
import { interleaving } from './interleaving';

export function hunt_page(page: HuntPage): HTMLElement[] {
  const left = page.findings_left_out;
  const found = page.findings.length + left > 0;
  return [
    headline(found ? '✗' : '✓', found ? 'violated' : 'satisfied', page.summary, page.file),
    facts(page.facts),
    ...page.findings.map((finding, place) => section(finding.title, `finding-${place}`,
      h('p', { class: 'meaning' }, finding.words),
      h('details', {}, h('summary', {}, 'Tables and rows'), h('pre', {}, finding.schema)),
      interleaving(finding.story),
      finding.diff.length === 0 ? null : h('table', { class: 'diff' },
        h('thead', {}, h('tr', {}, h('th', {}, 'where'), h('th', {}, 'expected'), h('th', {}, 'seen'))),
        h('tbody', {}, ...finding.diff.map((row) => h('tr', {}, h('td', { 'data-what': 'where' }, row.place), h('td', { 'data-what': 'expected' }, h('ins', {}, row.expected)), h('td', { 'data-what': 'seen' }, h('del', {}, row.seen)))))),
      h('details', {}, h('summary', {}, 'Text for a bug report'), h('pre', {}, finding.markdown)))),
    ...(left === 0 ? [] : [h('p', { class: 'left-out' }, `${grouped(left)} more ${left === 1 ? 'finding is' : 'findings are'} not on this page, which would be too large.`)]),
  ];
}
