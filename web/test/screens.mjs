// screens.mjs: every kind of page at the width of a desk and of a telephone, from files alone: nothing sticks out, no
// picture is cut off, no text of a picture is too small to read. The screenshots stay in OUT, to be looked at.
//
//   node screens.mjs ISOLDE OUT [CHROMIUM]        one line a page; the exit status tells
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blank, end, expect, expect_nothing_sticks_out, out, root, run } from './support.mjs';

const file = (name) => join(out, `screen-${name}`);
const kWidths = [1280, 400];
const kLeastText = 7; // pixels on the screen: letters of a picture that shrinks
const kHighest = 6000; // of a long page no more than can be looked at

async function look_at(name, url, prepare = async () => {}) {
  console.log(name);
  for (const width of kWidths) {
    const page = await blank(width);
    const said = [];
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(url);
    await page.waitForSelector('main h1');
    await prepare(page);
    await expect_nothing_sticks_out(page);
    const small = await page.evaluate((least) => [...document.querySelectorAll('main svg text')]
      .map((text) => ({ text: text.textContent ?? '', high: text.getBoundingClientRect().height }))
      .filter(({ text, high }) => text.trim() !== '' && high > 0 && high < least).map(({ text, high }) => `${text} (${high.toFixed(1)})`), kLeastText);
    expect(small.length === 0, `${width}: texts too small to read: ${small.slice(0, 3).join(', ')}`);
    expect(said.length === 0, `${width}: ${said.join('; ')}`);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.screenshot({ path: file(`${name.replaceAll(' ', '-')}-${width}.png`), fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, kHighest) } });
    await page.close();
  }
}
const of_file = (path) => pathToFileURL(path).href;
const page_of = (name, ...args) => {
  const html = file(`${name}.html`);
  run(...args, '--html', html);
  return of_file(html);
};

// A history with a clock, faults and several anomalies.
const lines = [{ isolde: 1, about: 'transfers between accounts, 3 clients, seed 7' }];
for (let i = 0; i < 240; ++i) {
  const begin = 1_000_000 * i;
  const [from, to] = [`account-${i % 7}`, `account-${(i + 3) % 7}`];
  lines.push({ id: i, session: `client-${i % 3}`, status: i % 17 === 5 ? 'aborted' : i % 41 === 7 ? 'unknown' : 'committed', begin, ...(i % 41 === 7 ? {} : { end: begin + 2_500_000 + 700_000 * (i % 4) }),
    ops: [['r', from, null], ['w', `row-${i}`, i], ['w', `copy-${to}-${i}`, i]] });
}
const at = 120_000_000;
lines.push({ id: 'T-deposit', session: 'client-3', begin: at, end: at + 5_000_000, ops: [['r', 'balance', null], ['r', 'limit', null], ['w', 'balance', 100]] });
lines.push({ id: 'T-withdrawal', session: 'client-4', begin: at + 1_000_000, end: at + 6_500_000, ops: [['r', 'balance', null], ['r', 'limit', null], ['w', 'limit', 50]] });
lines.push({ fault: 'kill-connections', at: at + 2_000_000, detail: 'client 3' });
lines.push({ fault: 'crash', at: [at + 3_000_000, at + 5_500_000] });
lines.push({ fault: 'restart', at: [30_000_000, 42_000_000] });
lines.push({ fault: 'start-partition', at: [200_000_000, 230_000_000], detail: '[:isolated #{"n1"}]' });
writeFileSync(file('faults.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n') + '\n');
await look_at('check with faults', page_of('faults', 'check', file('faults.jsonl'), '--level', 'strict-serializable', '--quiet'), async (page) => {
  expect((await page.locator('svg.timeline .fault').count()) >= 2, 'the faults beside the anomaly are on its time axis');
  expect((await page.locator('svg.plot .fault').count()) >= 4, 'and all of them in the plots');
  expect((await page.locator('#whole .legend').textContent()).includes('4 in all'), 'and in the picture of the whole history');
});

run('gen', '--out', file('planted.jsonl'), '--transactions', '3k', '--level', 'snapshot-isolation', '--plant', 'long-fork=2,lost-update=3,write-skew=1', '--quiet');
await look_at('check of many', page_of('planted', 'check', file('planted.jsonl'), '--level', 'serializable', '--quiet'));
run('gen', '--out', file('good.jsonl'), '--transactions', '2k', '--level', 'serializable', '--quiet');
await look_at('check satisfied', page_of('good', 'check', file('good.jsonl'), '--level', 'serializable', '--quiet'));
await look_at('probe', page_of('probe', 'probe', '--quiet'), (page) => page.locator('td button, td.cell button, .cell').first().click().catch(() => undefined));
await look_at('audit', page_of('audit', 'audit', join(root, 'examples/audit/purchase.sql'), '--schema', join(root, 'examples/audit/shop.ddl'), '--quiet'));
run('report', join(root, 'tests/corpus/hunt/postgres_15_3_merge_lost_update.finding'), '--out', file('finding.html'));
await look_at('hunt finding', of_file(file('finding.html')));
run('gen', '--out', file('stream.jsonl'), '--transactions', '5k', '--level', 'snapshot-isolation', '--plant', 'lost-update=3,stale-read=2', '--quiet');
await look_at('watch', page_of('watch', 'watch', file('stream.jsonl'), '--level', 'snapshot-isolation', '--quiet'));
await look_at('record and watch', page_of('record', 'record', '--workload', 'rmw', '--transactions', '400', '--clients', '4', '--check', 'serializable', '--watch', '--quiet'));

const book = join(out, 'screen-book');
execFileSync('node', [join(root, 'web/book/build.mjs'), root, book]);
for (const name of ['index', 'start', 'formats', 'ci', 'history-go'].filter((one) => existsSync(join(book, `${one}.html`)))) await look_at(`book ${name}`, of_file(join(book, `${name}.html`)));
await end();
