// gallery.mjs: pages of real things, each opened in a browser as from a mail: databases that are started for it, what
// others recorded, an application's trace. The screenshots are there to be looked at.
//
//   node gallery.mjs ISOLDE OUT [CHROMIUM]     one line a page; the exit status tells
//
// What is not beside the tree (../shared) is passed over with a line.
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { end, expect, expect_nothing_sticks_out, open, out, root, run } from './support.mjs';

const shared = resolve(root, '../shared');
const file = (name) => `${out}/gallery-${name}`;

// `make` writes the page, or says `false`: what it needs is not there; `title`: what the page says first; `shows`: what must be on it after
// `prepare`.
async function show(name, make, title, shows, prepare = async () => {}) {
  console.log(name);
  const html = file(`${name.replaceAll(' ', '-')}.html`);
  try {
    if (make(html) === false) return;
  } catch (error) {
    return expect(false, error.message);
  }
  const { page, said, opened } = await open(html);
  await prepare(page);
  const first = await page.locator('h1').textContent();
  expect(title.test(first), `it says first: ${first}`);
  for (const selector of shows) expect((await page.locator(selector).count()) > 0, `it has ${selector}`);
  expect(statSync(html).size <= 3_000_000, `at most 3 MB, not ${statSync(html).size}`);
  await expect_nothing_sticks_out(page);
  expect(said.length === 0, `nothing is said or fetched: ${said.join('; ')}`);
  // All of it, but of a long page no more than can be looked at.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.screenshot({ path: html.replace(/html$/, 'png'), fullPage: true, clip: { x: 0, y: 0, width: 1200, height: Math.min(height, 2600) } });
  await page.close();
  console.log(`  ${first}: ${(statSync(html).size / 1000).toFixed(0)} kB, open in ${(opened / 1000).toFixed(2)} s`);
}

const from_shared = (path, make) => {
  if (existsSync(`${shared}/${path}`)) return make(`${shared}/${path}`);
  console.log(`  passed over: ../shared/${path} is not there`);
  return false;
};
const kCycle = ['svg.cycle .arrow', 'svg.timeline'];

await show('write skew on PostgreSQL', (html) => run('record', '--spawn', 'postgres', '--workload', 'write-skew', '--level', 'repeatable read', '--time', '2', '--clients', '4', '--check', 'serializable', '--html', html, '--quiet'),
  /^write-skew on PostgreSQL .* violates serializable$/, [...kCycle, 'svg.plot']);
await show('lost update on MariaDB', (html) => run('record', '--spawn', 'mariadb', '--workload', 'rmw', '--keys', '5', '--level', 'repeatable read', '--time', '2', '--clients', '4', '--check', 'snapshot-isolation', '--html', html, '--quiet'),
  /^rmw on MariaDB .* violates snapshot-isolation$/, [...kCycle, 'svg.plot']);
await show('MariaDB watched while it ran', (html) => run('record', '--spawn', 'mariadb', '--workload', 'rmw', '--keys', '10', '--level', 'repeatable read', '--time', '4', '--clients', '8', '--watch', '--profile', 'snapshot-isolation', '--check', 'snapshot-isolation', '--html', html, '--quiet'),
  /^rmw on MariaDB .* violates snapshot-isolation$/, [...kCycle, '#watched svg.plot', '#watched-violations svg.cycle .arrow']);
await show('huge scc of Elle', (html) => from_shared('histories/elle/histories/huge-scc.edn', (path) => run('report', path, '--level', 'strict-serializable', '--out', html)),
  /^huge-scc.edn violates strict-serializable$/, kCycle);
await show('predicate anomaly', (html) => from_shared('histories/elle/closed_predicate/g2_predicate_read_unseen.edn', (path) => run('report', path, '--level', 'serializable', '--out', html)),
  /violates serializable$/, kCycle, (page) => page.locator('select[name=kind]').selectOption('G2'));

await show('predicate anomaly of PostgreSQL', (html) => run('record', '--spawn', 'postgres', '--workload', 'predicate', '--level', 'read committed', '--time', '2', '--clients', '4', '--check', 'serializable', '--html', html, '--quiet'),
  /^predicate on PostgreSQL .* violates serializable$/, kCycle);

// Whichever of T1 and T2 wrote x first, a reader of the other's closes a circle.
writeFileSync(file('no-order.jsonl'), [
  { id: 'T1', session: 1, ops: [['r', 'a', null], ['w', 'x', 1]] },
  { id: 'T2', session: 2, ops: [['r', 'b', null], ['w', 'x', 2]] },
  { id: 'T3', session: 3, ops: [['w', 'a', 1], ['w', 'b', 1]] },
  { id: 'T4', session: 4, ops: [['r', 'b', 1], ['r', 'x', 1]] },
  { id: 'T5', session: 5, ops: [['r', 'a', 1], ['r', 'x', 2]] },
].map((one) => JSON.stringify(one)).join('\n') + '\n');
await show('refutation without a cycle', (html) => run('check', file('no-order.jsonl'), '--level', 'serializable', '--method', 'solver', '--quiet', '--html', html),
  /violates serializable$/, ['.cases']);

await show('accepted history', (html) => {
  run('gen', '--out', file('accepted.jsonl'), '--transactions', '20000', '--level', 'serializable', '--quiet');
  run('report', file('accepted.jsonl'), '--level', 'serializable', '--out', html);
}, /satisfies serializable$/, ['.headline.satisfied', '.lattice .level.satisfied', 'svg.plot']);

await show('probe of three databases', (html) => {
  const printed = [['sqlite:'], ['--spawn', 'postgres'], ['--spawn', 'mariadb']].map((which) => run('probe', ...which, '--json'));
  writeFileSync(file('probes.jsonl'), printed.join(''));
  run('report', file('probes.jsonl'), '--out', html);
}, /kept what (it promises|they promise)$|allowed what/, ['#server-2 table.matrix', '.cell.happened', '.cell.prevented']);

await show('audit of WooCommerce', (html) => from_shared('traces/acidrain/woocommerce.log', (path) => run('audit', path, '--html', html, '--quiet')),
  /kinds? of anomaly/, ['details.anomaly', 'table.interleaving', '.class-graph', '#fixes']);

// Nothing that a reader has to guess: long names are shortened where they stand in a picture.
const long_name = 'a-transaction-of-the-billing-service-with-a-very-long-name-indeed';
writeFileSync(file('long-names.jsonl'), ['x', 'y', 'z'].map((key, i) => JSON.stringify({ id: `${long_name}-${key}`, session: `${long_name}-${i}`,
  ops: [['r', `${long_name}/${'xyz'[(i + 1) % 3]}`, null], ['w', `${long_name}/${key}`, `${long_name}=${i}`]] })).join('\n') + '\n');
await show('long names', (html) => run('report', file('long-names.jsonl'), '--level', 'serializable', '--out', html), /violates serializable$/, kCycle);

await show('a million transactions', (html) => {
  const made = file('million.jsonl');
  run('gen', '--out', made, '--transactions', '1000000', '--level', 'snapshot-isolation', '--plant', 'lost-update=2000', '--quiet');
  run('check', made, '--level', 'snapshot-isolation', '--quiet', '--html', html);
  rmSync(made);
}, /^gallery-million.jsonl violates snapshot-isolation$/, [...kCycle, 'svg.plot']);

await end();
