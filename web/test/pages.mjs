// pages.mjs: every kind of page in a real browser, opened from file:// as from a mail: no request, no message on the
// console, and what people click does what it says. Screenshots stay in OUT.
//
//   node pages.mjs ISOLDE OUT [CHROMIUM]        one line a test; the exit status tells
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { end, expect, expect_nothing_sticks_out, isolde, open, out, root, run } from './support.mjs';

const file = (name) => `${out}/${name}`;
function history(name, transactions) {
  writeFileSync(file(name), transactions.map((one) => JSON.stringify(one)).join('\n') + '\n');
  return file(name);
}

// A screen reader has something to say of every control and picture.
async function has_names(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  const kMeant = ['button', 'combobox', 'searchbox', 'textbox', 'link', 'DisclosureTriangle', 'img', 'image', 'graphics-document', 'heading', 'region'];
  const nameless = nodes.filter((node) => !node.ignored && kMeant.includes(node.role?.value) && !(node.name?.value ?? '').trim());
  expect(nodes.some((node) => node.role?.value === 'main'), 'it has a main part');
  expect(nodes.filter((node) => node.role?.value === 'button').length > 0, 'its controls are known as such');
  expect(nameless.length === 0, `every control and picture has a name: ${nameless.slice(0, 3).map((node) => node.role.value).join(', ')}`);
  await client.detach();
}

// On paper nothing sticks out of the page or of what would scroll on a screen.
async function prints(page, name) {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 720, height: 1000 }); // about A4 with its borders
  const folded = await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    return document.querySelectorAll('main details:not([open]):not(.classes details)').length;
  });
  expect(folded === 0, 'what is folded is printed');
  const cut = await page.evaluate(() => {
    const edge = document.documentElement.clientWidth + 1;
    return [...document.querySelectorAll('main *')].filter((one) => {
      if (one.closest('svg') && one.tagName !== 'svg') return false;
      const box = one.getBoundingClientRect();
      const style = getComputedStyle(one);
      const hides = style.overflowX !== 'visible' && one.tagName !== 'svg' && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
      return box.width > 0 && (box.right > edge || hides);
    }).map((one) => `${one.tagName}.${one.getAttribute('class') ?? ''}`);
  });
  expect(cut.length === 0, `nothing is cut off on paper: ${[...new Set(cut)].slice(0, 5).join(', ')}`);
  await page.screenshot({ path: file(`${name.replaceAll(' ', '-')}-print.png`), fullPage: false });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: 'screen' });
}

// Opens the page and looks at all that must hold of any; `look` does the rest.
async function test(name, html, look, colorScheme = 'light') {
  console.log(name);
  const { page, said, opened } = await open(html, colorScheme);
  expect(statSync(html).size <= 3_000_000, `at most 3 MB, not ${statSync(html).size}`);
  expect(!(await page.locator('h1').textContent()).includes('cannot be shown'), 'it can be shown');
  try {
    await look(page, opened);
  } catch (error) {
    expect(false, error.message);
  }
  await expect_nothing_sticks_out(page);
  await page.screenshot({ path: file(`${name.replaceAll(' ', '-')}.png`), fullPage: false });
  await has_names(page);
  await prints(page, name);
  expect(said.length === 0, `nothing is said or fetched: ${said.join('; ')}`);
  await page.close();
}

const skew = history('skew.jsonl', [
  { id: 'T1', session: 1, start_ts: 1, commit_ts: 10, ops: [['r', 'x', null], ['r', 'y', null], ['w', 'x', 1]] },
  { id: 'T2', session: 2, start_ts: 2, commit_ts: 11, ops: [['r', 'x', null], ['r', 'y', null], ['w', 'y', 1]] },
  { id: 'T3', session: 3, start_ts: 20, commit_ts: 30, ops: [['r', 'p', null], ['r', 'q', null], ['w', 'p', 1]] },
  { id: 'T4', session: 4, start_ts: 21, commit_ts: 31, ops: [['r', 'p', null], ['r', 'q', null], ['w', 'q', 1]] },
]);
run('check', skew, '--level', 'serializable', '--quiet', '--html', file('skew.html'));

await test('a write skew', file('skew.html'), async (page) => {
  expect((await page.locator('h1').textContent()) === 'skew.jsonl violates serializable', 'the verdict comes first');
  const place = page.locator('.place');
  expect((await place.textContent()).startsWith('1 of 2'), 'two anomalies');
  const arrow = page.locator('svg.cycle .arrow').first();
  await arrow.focus();
  await page.keyboard.press('Enter');
  expect((await page.locator('.evidence').count()) === 1, 'an arrow, chosen by keyboard, shows what justifies it');
  expect((await page.locator('.step[aria-pressed=true]').count()) === 1, 'its step is marked');
  await page.keyboard.press('Escape');
  await page.locator('.step').nth(1).click();
  expect((await page.locator('svg.cycle .arrow.chosen').count()) === 1, 'a step marks its arrow');
  await page.locator('button', { hasText: 'next' }).click();
  expect((await place.textContent()).startsWith('2 of 2'), 'the next anomaly');
  await page.locator('h2').first().click();
  await page.keyboard.press('ArrowLeft');
  expect((await place.textContent()).startsWith('1 of 2'), 'the arrow key goes back');
  await page.keyboard.press('ArrowRight');
  expect(page.url().endsWith('#anomaly-2'), 'its address names the anomaly');
  await page.reload();
  expect((await place.textContent()).startsWith('2 of 2'), 'and leads back to it');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('button.copy').click();
  await page.locator('button.copy', { hasText: 'copied' }).waitFor();
  expect((await page.evaluate(() => navigator.clipboard.readText())).includes('T3 before T4, because'), 'it can be copied as text');
  await page.locator('input[name=key]').fill('q');
  expect((await place.textContent()).startsWith('1 of 1'), 'filtered by key');
  await page.locator('input[name=key]').fill('no such key');
  expect((await place.textContent()).includes('none'), 'no anomaly passes');
  await page.locator('input[name=key]').fill('');
  expect((await page.locator('.lattice .level.violated').count()) > 0, 'the levels are coloured');
});

{
  console.log('its policy');
  const html = file('injected.html');
  const injected = '<script>window.injected = true</script><img src="data:," onerror="window.injected = true"><p style="color: red" id="painted">x</p></body>';
  writeFileSync(html, readFileSync(file('skew.html'), 'utf8').replace('</body>', injected));
  const { page, said } = await open(html);
  expect((await page.evaluate(() => window.injected)) === undefined, 'a script that is not its own does not run');
  expect((await page.evaluate(() => getComputedStyle(document.getElementById('painted')).color)) !== 'rgb(255, 0, 0)', 'nor does a style');
  expect(said.some((line) => line.includes('Content Security Policy')), 'the browser says why');
  await page.close();
}

await test('dark', file('skew.html'), async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.locator('button.theme').click();
  expect((await paper()) !== dark, 'colours can be changed');
  await page.locator('button.theme').click();
  expect((await paper()) === dark, 'and back to dark');
}, 'dark');

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'\`&amp;\u2028`;
history('hostile.jsonl', [
  { id: `${hostile}1`, session: hostile, ops: [['r', hostile, null], ['r', `${hostile}2`, null], ['w', hostile, hostile]] },
  { id: `${hostile}2`, session: `${hostile}2`, ops: [['r', hostile, null], ['r', `${hostile}2`, null], ['w', `${hostile}2`, hostile]] },
]);
run('report', file('hostile.jsonl'), '--level', 'serializable');
await test('a hostile history', file('hostile.html'), async (page) => {
  expect((await page.locator('main script, main img').count()) === 0, 'nothing of it became an element');
  expect((await page.locator('main').textContent()).includes('<script>alert(1)</script>'), 'it is shown as text');
});

writeFileSync(file('skew.json'), run('check', skew, '--level', 'serializable', '--json', '--strongest'));
run('report', file('skew.json'), '--out', file('skew-json.html'));
await test('a printed report', file('skew-json.html'), async (page) => {
  expect((await page.locator('svg.cycle .arrow').count()) >= 2, 'its cycle is drawn');
});

run('gen', '--out', file('accepted.jsonl'), '--transactions', '2000', '--level', 'serializable', '--quiet');
run('report', file('accepted.jsonl'), '--level', 'snapshot-isolation');
await test('an accepted history', file('accepted.html'), async (page) => {
  expect((await page.locator('.headline.satisfied').count()) === 1, 'accepted');
  expect((await page.locator('svg.plot').count()) === 2, 'plots of the run');
});

run('probe', 'sqlite:', 'sqlite:', '--html', file('probe.html'));
await test('a probe', file('probe.html'), async (page) => {
  expect(/^All \d+ levels kept what they promise$/.test(await page.locator('h1').textContent()), 'the verdict comes first');
  expect((await page.locator('.kept.satisfied').count()) > 1, 'each level kept its promise');
  expect((await page.locator('table.matrix').count()) === 2, 'a table per database');
  await page.locator('button.cell').first().click();
  expect((await page.locator('.transcript').count()) === 1, 'a cell shows its transcript');
  await page.locator('button.cell').first().click();
  expect((await page.locator('.transcript').count()) === 0, 'and hides it again');
});

// What a level promises is broken here: as printed by a server that does not keep it.
const broken = JSON.parse(run('probe', 'sqlite:', '--only', 'P4,G2-item', '--json'));
broken.levels[0].forbidden = ['P4'];
broken.cases[0].cells[0].outcome = 'happened';
writeFileSync(file('broken.json'), JSON.stringify(broken) + '\n');
run('report', file('broken.json'), '--out', file('broken.html'));
await test('a broken promise', file('broken.html'), async (page) => {
  expect(/allowed what it promises to rule out$/.test(await page.locator('h1').textContent()), 'the verdict is violated');
  expect((await page.locator('.cell.broken').count()) === 1 && (await page.locator('.kept.violated').count()) === 1, 'the cell and the level are marked');
});

run('gen', '--out', file('whole.isl'), '--transactions', '100000', '--plant', 'lost-update=3', '--quiet');
run('check', file('whole.isl'), '--level', 'snapshot-isolation', '--quiet', '--html', file('whole.html'));
await test('the whole history', file('whole.html'), async (page) => {
  const canvas = page.locator('#whole canvas');
  await canvas.scrollIntoViewIfNeeded();
  const said = page.locator('#whole .says');
  await page.locator('#whole input').fill('T50000');
  await page.locator('#whole input').press('Enter');
  await page.waitForFunction(() => document.querySelector('#whole .says').textContent.startsWith('T50000, session '));
  await page.locator('#whole input').fill('session 7');
  await page.locator('#whole input').press('Enter');
  await page.waitForFunction(() => / of [\d,]+$/.test(document.querySelector('#whole .whole-tools .hint').textContent));
  // Each frame is drawn anew: of a hundred thousand bars, panned and zoomed thirty times.
  const frames = await page.evaluate(async () => {
    const target = document.querySelector('#whole canvas');
    const started = performance.now();
    for (let i = 0; i < 30; ++i) {
      target.dispatchEvent(new KeyboardEvent('keydown', { key: i % 3 === 0 ? '-' : i % 2 === 0 ? '+' : 'ArrowRight', bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => resolve()));
    }
    return (performance.now() - started) / 30;
  });
  console.log(`  100,000 transactions: ${frames.toFixed(1)} ms a frame`);
  await page.locator('#whole button', { hasText: 'go to an anomaly' }).click();
  await page.waitForFunction(() => document.querySelector('#whole .says').textContent.includes('part of an anomaly'));
  await page.locator('#whole button', { hasText: 'all' }).first().click();
  const box = await canvas.boundingBox();
  const before = await said.textContent();
  for (let x = 130; x < box.width; x += 7) {
    await page.mouse.move(box.x + x, box.y + 9);
    if ((await said.textContent()) !== before) break;
  }
  expect(/^T\d+, session /.test(await said.textContent()), 'a bar that is pointed at is read');
});

run('audit', 'examples/audit/purchase.sql', '--html', file('audit.html'));
await test('an audit', file('audit.html'), async (page) => {
  expect((await page.locator('details.anomaly').count()) > 0, 'anomalies');
  expect((await page.locator('table.interleaving').count()) > 0, 'as interleaved SQL');
  expect((await page.locator('#classes li').count()) > 0, 'classes');
  expect((await page.locator('.class-graph circle.self').count()) > 0, 'a class whose runs depend on each other has a loop');
  await page.locator('.class-graph .class').first().click();
  expect((await page.locator('#classes .evidence li').count()) > 0, 'a class, chosen, tells what it depends on');
  await page.keyboard.press('Enter');
  expect((await page.locator('#classes .evidence').count()) === 0, 'and again: no more');
});

run('audit', 'examples/audit/clinic/clinic.log', '--schema', 'examples/audit/clinic/clinic.ddl', '--html', file('clinic.html'));
await test('an audit with a check in a transaction of its own', file('clinic.html'), async (page) => {
  expect((await page.locator('#scope details.anomaly').count()) === 1, 'one place across transactions');
  expect((await page.locator('#scope table.interleaving th').first().textContent()) === 'R1', 'as two requests');
});

run('report', 'tests/corpus/hunt/mariadb_repeatable_read_lost_update.finding', '--out', file('finding.html'));
await test('a finding', file('finding.html'), async (page) => {
  expect((await page.locator('table.interleaving tbody tr').count()) > 1, 'the reduced case');
  await page.locator('summary', { hasText: 'bug report' }).click();
  expect((await page.locator('details[open] pre').textContent()).includes('MariaDB'), 'the text of a bug report');
});

run('record', '--workload', 'register', '--transactions', '400', '--clients', '2', '--check', 'serializable', '--html', file('record.html'), '--quiet');
await test('a recording', file('record.html'), async (page) => {
  expect(/^register on SQLite [0-9.]+ satisfies serializable$/.test(await page.locator('h1').textContent()), 'the workload and the server are named, not a folder');
  expect(!readFileSync(file('record.html'), 'utf8').includes('isolde-record-'), 'no scratch folder');
  expect((await page.locator('svg.plot').count()) === 2, 'plots of the run');
});

run('gen', '--out', file('watched.jsonl'), '--transactions', '20000', '--level', 'snapshot-isolation', '--plant', 'lost-update=40', '--quiet');
const watcher = spawn(isolde, ['watch', file('watched.jsonl'), '--follow', '--level', 'si', '--quiet', '--html', file('watch.html')], { cwd: root, stdio: 'ignore' });
const ended = new Promise((done) => watcher.on('exit', done));
setTimeout(() => watcher.kill('SIGINT'), 3500);
await ended;
await test('a watched stream', file('watch.html'), async (page) => {
  expect((await page.locator('h1').textContent()).startsWith('watched.jsonl violates'), 'the verdict, of a watch that was interrupted');
  expect((await page.locator('svg.plot').count()) === 4, 'rates, lag, violations and memory over time');
  const shown = await page.locator('#violations article').count();
  expect(shown === 20, 'the first violations');
  expect(/found after [0-9.]+ s/.test(await page.locator('#violations .found').first().textContent()), 'with the moment when they were found');
  const pictures = page.locator('#violations svg.cycle');
  expect((await pictures.count()) > 0, 'a picture of who depends on whom');
  const says = page.locator('#violations .says').first();
  expect((await says.textContent()).startsWith('Click'), 'its arrows can be clicked');
  await pictures.first().locator('.arrow').first().focus();
  await page.keyboard.press('Enter');
  expect((await says.textContent()).includes('T'), 'an arrow says what it means');
  await page.locator('button.more').click();
  expect((await page.locator('#violations article').count()) > shown, 'and the rest when asked');
});

run('record', '--workload', 'rmw', '--transactions', '4000', '--clients', '2', '--watch', '--html', file('record-watch.html'), '--quiet');
await test('a recording that was watched', file('record-watch.html'), async (page) => {
  expect(/^rmw on SQLite [0-9.]+ shows nothing that breaks sqlite/.test(await page.locator('h1').textContent()), 'the verdict');
  const titles = await page.locator('#plots figcaption').allTextContents();
  expect(titles.some((title) => title.startsWith('How long a committed transaction took')), 'plots of the run');
  expect(titles.every((title) => !title.includes('Suspected')), 'no plot of doubts where there are none');
  expect((await page.locator('.facts dt').allTextContents()).includes('run'), 'facts of the run');
});

run('record', '--workload', 'rmw', '--transactions', '4000', '--clients', '2', '--watch', '--check', 'serializable', '--html', file('record-both.html'), '--quiet');
await test('a recording that was watched and checked', file('record-both.html'), async (page) => {
  expect((await page.locator('h1').textContent()).endsWith('satisfies serializable'), 'the verdict of the check comes first');
  expect((await page.locator('#watched h2').first().textContent()).includes('While it ran'), 'then how the run was watched');
  expect((await page.locator('#plots svg.plot').count()) === 2, 'plots of the run');
  const names = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((one) => one.id).filter((id) => !id.startsWith('tip-')));
  expect(new Set(names).size === names.length, 'no name stands twice');
});

// A session falls silent; what another reads may be explained by it, and then it sends something from long ago.
const doubts = history('doubts.jsonl', [
  { id: 1, session: 1, begin: 0, end: 10, ops: [['w', 'x', 1]] },
  { id: 2, session: 2, begin: 1, end: 11, ops: [['r', 'y', null]] },
]);
const doubter = spawn(isolde, ['watch', doubts, '--follow', '--profile', 'snapshot-isolation', '--silence', '0.3', '--hold', '0.05', '--json', '--html', file('doubts.html')], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
const doubted = new Promise((done) => doubter.on('exit', done));
let heard = '';
doubter.stdout.on('data', (data) => { heard += data; });
async function told(text) {
  for (let i = 0; i < 500 && !heard.includes(text); ++i) await new Promise((done) => setTimeout(done, 20));
}
const send = (transaction) => appendFileSync(doubts, `${JSON.stringify(transaction)}\n`);
await told('"started"');
send({ id: 3, session: 3, begin: 100, end: 110, ops: [['r', 'x', null]] });
await told('session 2 sent nothing');
await new Promise((done) => setTimeout(done, 500)); // it is handed on
for (let i = 0; i < 60; ++i) send({ id: `<b>${i}`, session: 2, begin: 20 + i, end: 20 + i, ops: [] });
await told('"late"');
send({ id: 5, session: 3, begin: 120, end: 130, ops: [] });
await told('"suspicion"');
await new Promise((done) => setTimeout(done, 600));
doubter.kill('SIGINT');
await doubted;
await test('a watch with doubts', file('doubts.html'), async (page) => {
  expect((await page.locator('.headline.undecided').count()) === 1, 'undecided');
  expect((await page.locator('#suspicions article').count()) === 1, 'what is suspected');
  expect((await page.locator('#suspicions').textContent()).includes('a session is missing'), 'and why no more than that');
  expect((await page.locator('#late tbody tr').count()) === 20, 'what came too late');
  await page.locator('#late button.more').click();
  expect((await page.locator('#late tbody tr').count()) === 50, 'and more of it');
  expect((await page.locator('#late .left-out').textContent()).startsWith('10 more'), 'the rest is counted');
  expect((await page.locator('#late').textContent()).includes('<b>'), 'with its name, as text');
  expect((await page.locator('#plots figcaption').allTextContents()).some((title) => title.startsWith('Suspected and late')), 'both over time');
});

await end();
