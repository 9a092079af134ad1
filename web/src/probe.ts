// probe.ts: which anomalies each level of each server lets through; behind each cell the transcript.
import type { ProbeCell, ProbePage } from './data';
import { headline } from './check';
import { grouped, h, replace, section } from './dom';

const kMarks: Record<ProbeCell['state'], string> = { prevented: '✓', happened: '✗', failed: '!', skipped: '–' };

function transcript(title: string, cell: ProbeCell): HTMLElement {
  return h('div', { class: 'transcript', role: 'region', 'aria-label': title }, h('h3', {}, title), h('p', {}, cell.meaning),
    cell.left_out === 0 ? null : h('p', { class: 'left-out' }, `The ${grouped(cell.left_out)} steps are not on this page, which would be too large: isolde probe --json has them.`),
    h('table', {}, h('tbody', {}, ...cell.transcript.map((step) => h('tr', {}, h('th', { scope: 'row' }, step.who), h('td', {}, h('code', {}, step.sql)), h('td', {}, step.answer))))));
}

export function probe_page(page: ProbePage): HTMLElement[] {
  const parts: HTMLElement[] = [headline('◎', 'plain', 'What these databases let through', `${page.servers.length} probed; choose a cell to see what was said`)];
  page.servers.forEach((server, place) => {
    const below = h('div', { 'aria-live': 'polite' });
    let open: HTMLButtonElement | null = null;
    const cell_button = (name: string, level: string, cell: ProbeCell): HTMLElement => {
      const button = h('button', { type: 'button', class: `cell ${cell.state}`, 'aria-expanded': 'false', 'aria-label': `${name} at ${level}: ${cell.state} ${cell.how}`, click: () => {
        open?.setAttribute('aria-expanded', 'false');
        const again = open === button;
        open = again ? null : button;
        button.setAttribute('aria-expanded', String(!again));
        replace(below, again ? null : transcript(`${name} at ${level}`, cell));
      } }, `${kMarks[cell.state]} ${cell.how}`);
      return button;
    };
    parts.push(section(server.name, `server-${place}`,
      h('div', { class: 'scroll' }, h('table', { class: 'matrix' },
        h('thead', {}, h('tr', {}, h('th', {}, 'case'), ...server.levels.map((level) => h('th', { scope: 'col' }, level)))),
        h('tbody', {}, h('tr', { class: 'sum' }, h('th', { scope: 'row' }, 'what was seen fits'), ...server.strongest.map((level, i) => h('td', { title: `the manual promises ${server.claims[i] ?? ''}` }, level))), ...server.cases.map((one) => h('tr', {}, h('th', { scope: 'row', title: one.meaning }, one.name),
          ...one.cells.map((cell, i) => h('td', {}, cell_button(one.name, server.levels[i] ?? '', cell)))))))),
      server.cases_left_out === 0 ? null : h('p', { class: 'left-out' }, `${grouped(server.cases_left_out)} more cases are not on this page, which would be too large.`),
      below));
  });
  return parts;
}
