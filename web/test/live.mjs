// live.mjs: `isolde watch --serve` in a browser: violations appear as they come, what was opened stays open, /metrics has
// the numbers, and nobody asks from another site or without the token.
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { blank, end, expect, expect_nothing_sticks_out, isolde, out } from './support.mjs';

let next = 0;
const line = (session, ops) => `${JSON.stringify({ id: next, session, ops, start_ts: 10 * next, commit_ts: 10 * next++ + 5 })}\n`;
const good = (count) => Array.from({ length: count }, (_, i) => line(1 + (i % 3), [['w', `k${next}`, next]])).join('');
// Two overwrite the same version: a lost update.
function lost_update(key) {
  const at = 10 * next;
  const one = (from, to, value) => `${JSON.stringify({ id: next, session: 10 + (next++ % 2), ops: [['r', key, null], ['w', key, value]], start_ts: from, commit_ts: to })}\n`;
  return one(at, at + 8, 1) + one(at + 1, at + 9, 2) + good(3);
}

// What it says on standard error has the address.
function started(...args) {
  const child = spawn(isolde, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const url = new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += data;
      const found = said.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.on('exit', (status) => reject(new Error(`isolde ended with ${status}: ${said}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return { child, url, ended };
}

const answer = (url, headers = {}) => new Promise((resolve, reject) => {
  get(url, { headers }, (response) => {
    let text = '';
    response.on('data', (data) => { text += data; });
    response.on('end', () => resolve({ status: response.statusCode, text }));
  }).on('error', reject);
});

{
  const file = join(out, 'live.jsonl');
  writeFileSync(file, good(30));
  const run = started('watch', file, '--follow', '--level', 'snapshot-isolation', '--method', 'timeline', '--deadline', '1', '--serve', '127.0.0.1:0', '--quiet');
  const url = await run.url;
  const page = await blank(1280);
  const said = [];
  page.on('pageerror', (error) => said.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') said.push(message.text()); });
  await page.goto(url);
  await page.waitForSelector('.live.on');
  await page.waitForSelector('main h1:has-text("satisfies")');
  appendFileSync(file, lost_update('x'));
  await page.waitForSelector('#violations article.anomaly');
  expect((await page.textContent('main h1')).includes('violates'), 'the verdict changes');
  // What a person selected stays selected while more comes.
  await page.click('#violations article.anomaly [data-step]');
  await page.waitForSelector('#violations article [aria-pressed="true"]');
  appendFileSync(file, lost_update('y'));
  await page.waitForFunction(() => document.querySelectorAll('#violations article.anomaly').length === 2);
  expect(await page.locator('#violations article:first-child [aria-pressed="true"]').count() === 1, 'the arrow that was selected still is');
  await page.screenshot({ path: join(out, 'live-1280.png'), fullPage: true });
  await page.setViewportSize({ width: 400, height: 900 });
  await expect_nothing_sticks_out(page);
  await page.screenshot({ path: join(out, 'live-400.png'), fullPage: true });

  const metrics = await answer(`${url}metrics`);
  expect(metrics.status === 200 && /^isolde_watch_violations_total\{anomaly="lost-update"\} 2$/m.test(metrics.text), `the numbers for Prometheus: ${metrics.text}`);
  expect(metrics.text.split('\n').every((one) => one === '' || /^(# (HELP|TYPE) |\w+(\{\w+="[^"]*"\})? -?[\d.e+-]+$)/.test(one)), 'each line is of its format');
  expect((await answer(url, { Host: 'evil.example' })).status === 403, "another site's name is refused");
  expect((await answer(`${url}nothing`)).status === 404, 'there is nothing else');
  run.child.kill('SIGINT');
  await page.waitForSelector('.live.over');
  expect(await run.ended === 1, 'its exit status is that of a violation');
  expect(said.length === 0, `nothing is said: ${said.join('; ')}`);
  await page.close();
}
{
  const file = join(out, 'live-token.jsonl');
  writeFileSync(file, good(5));
  const run = started('watch', file, '--follow', '--level', 'snapshot-isolation', '--serve', '0.0.0.0:0', '--quiet');
  const url = (await run.url).replace('0.0.0.0', '127.0.0.1');
  const [plain, token] = url.split('?token=');
  expect(token?.length === 32, 'another address has a token');
  expect((await answer(plain)).status === 401, 'without it nothing is answered');
  expect((await answer(`${plain}metrics?token=${token.replace(/.$/, 'x')}`)).status === 401, 'nor with another');
  expect((await answer(`${plain}metrics`, { Authorization: `Bearer ${token}` })).status === 200, 'it may be a header');
  const page = await blank(800);
  await page.goto(url);
  await page.waitForSelector('.live.on');
  await page.close();
  run.child.kill('SIGINT');
  await run.ended;
}
{
  const run = started('record', '--workload', 'register', '--time', '3', '--out', join(out, 'live-record.jsonl'), '--overwrite', '--serve', '127.0.0.1:0', '--quiet');
  const url = await run.url;
  const page = await blank(1280);
  await page.goto(url);
  await page.waitForSelector('main h1:has-text("recording")');
  await page.waitForSelector('#plots svg.plot');
  expect(/isolde_record_transactions_total\{outcome="committed"\} \d/.test((await answer(`${url}metrics`)).text), 'the numbers of a recording');
  await page.waitForSelector('.live.over');
  expect(await run.ended === 0, 'a recording that is followed ends as ever');
  await page.close();
}
{
  const run = started('hunt', '--time', '3', '--seed', '1', '--out', join(out, 'live-findings'), '--serve', '127.0.0.1:0', '--quiet');
  const url = await run.url;
  const page = await blank(1280);
  await page.goto(url);
  await page.waitForSelector('main dl.facts:has-text("cases")');
  expect(/^isolde_hunt_cases_total \d+$/m.test((await answer(`${url}metrics`)).text), 'the numbers of a hunt');
  await run.ended;
  await page.close();
}
await end();
