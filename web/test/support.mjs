// support.mjs: what the tests in a browser share. They are called with ISOLDE OUT [CHROMIUM].
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [program, out_folder, chosen] = process.argv.slice(2);
export const isolde = resolve(program);
export const out = resolve(out_folder);
export const root = fileURLToPath(new URL('../../', import.meta.url));
mkdirSync(out, { recursive: true });

let failed = 0;
export function expect(holds, what) {
  if (holds) return;
  ++failed;
  console.log(`  FAILED: ${what}`);
}

// What it printed. Any exit status but "bad input" is an answer.
export function run(...args) {
  try {
    return execFileSync(isolde, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status === 2 || error.status === null) throw new Error(`isolde ${args.join(' ')}: ${error.stderr}`);
    return error.stdout;
  }
}

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const browser = await chromium.launch({ executablePath: chosen ?? installed, args: ['--no-sandbox'] });

// Opens a page as from a mail. `said`: messages, faults, dialogs and requests; there must be none. `opened`: milliseconds.
export async function open(html, colorScheme = 'light') {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme });
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('dialog', (dialog) => { said.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => { if (request.url().split('#')[0] !== pathToFileURL(html).href) said.push(`a request: ${request.url().slice(0, 80)}`); });
  const started = performance.now();
  await page.goto(pathToFileURL(html).href);
  await page.waitForSelector('main h1');
  return { page, said, opened: performance.now() - started };
}

// A page of its own, for what is no report page.
export function blank(width = 1200) {
  return browser.newPage({ viewport: { width, height: 900 } });
}

export async function expect_nothing_sticks_out(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide <= 0, `nothing sticks out (${wide} pixels)`);
}

export async function end() {
  await browser.close();
  console.log(failed === 0 ? 'all is well' : `${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
