// main.ts: reads the data that stands in the page and shows it.
import { audit_page } from './audit';
import { check_page, headline } from './check';
import type { PageData } from './data';
import { grouped, h } from './dom';
import { audit_from, check_from, probe_from } from './from_json';
import { hunt_page } from './hunt';
import { follow } from './live';
import { probe_page } from './probe';
import { watch_page, watched_too } from './watch';

function left_out(count: number, one: string, many: string): HTMLElement[] {
  return count === 0 ? [] : [h('p', { class: 'left-out' }, `${grouped(count)} more ${count === 1 ? `${one} is` : `${many} are`} not on this page, which would be too large.`)];
}

function parts_of(page: PageData): HTMLElement[] {
  switch (page.kind) {
    case 'check': return [...check_page(page), ...(page.watch ? watched_too(page.watch) : [])];
    case 'checked': return check_page(check_from(page.made, page.report));
    case 'probe': return [...probe_page(probe_from(page.made, page.probes)), ...left_out(page.probes_left_out ?? 0, 'database', 'databases')];
    case 'audit': return audit_page(audit_from(page.made, page.audit));
    case 'hunt': return hunt_page(page);
    case 'watch': return watch_page(page);
    case 'waiting': return [headline('…', 'plain', 'Waiting for the run', 'This page follows it as soon as it begins.')];
  }
}

// auto -> light -> dark; remembered only while the page is open, since a mailed file has no place of its own.
function theme_button(): HTMLElement {
  const names = ['auto', 'light', 'dark'];
  let at = 0;
  const button = h('button', { type: 'button', class: 'theme', click: () => {
    at = (at + 1) % names.length;
    document.documentElement.dataset['theme'] = names[at]!;
    button.textContent = `colours: ${names[at]}`;
  } }, 'colours: auto');
  return button;
}

const page = JSON.parse(document.getElementById('isolde-data')!.textContent!) as PageData;
// A report that another version printed may lack what this page looks for: then it says so.
function shown(page: PageData): HTMLElement[] {
  try {
    return parts_of(page);
  } catch (error) {
    return [headline('?', 'undecided', 'This report cannot be shown', `It lacks something that this page needs (${String(error)})`)];
  }
}

const main = h('main', {}, ...shown(page));
document.body.append(main, h('footer', {}, `Isolde ${page.made.version}${page.made.command ? ` · ${page.made.command}` : ''} `, theme_button()));
document.title = `${main.querySelector('h1')?.textContent ?? 'Isolde'} · Isolde`;

// On paper nobody can open a story: what is folded is printed, but for the SQL of every class.
let unfolded: HTMLDetailsElement[] = [];
addEventListener('beforeprint', () => {
  unfolded = [...main.querySelectorAll('details')].filter((one) => !one.open && !one.closest('.classes'));
  unfolded.forEach((one) => { one.open = true; });
});
addEventListener('afterprint', () => unfolded.forEach((one) => { one.open = false; }));

// Served by a run that goes on (isolde watch --serve).
if (document.querySelector('meta[name="isolde-live"]')) follow(main, (data) => shown(data));
