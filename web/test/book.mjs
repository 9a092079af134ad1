// book.mjs: the book of ./dev docs in a browser: it is found without a network, by words, and fits a telephone.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blank, end, expect, expect_nothing_sticks_out, out, root } from './support.mjs';

const book = join(out, 'book');
execFileSync('node', [join(root, 'web/book/build.mjs'), root, book, '--check']);
const address = (name) => pathToFileURL(join(book, name)).href;

for (const width of [1280, 400]) {
  const page = await blank(width);
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => { if (!request.url().startsWith(pathToFileURL(book).href)) said.push(`a request: ${request.url()}`); });
  for (const name of ['index.html', 'start.html', 'commands.html', 'formats.html', 'found/index.html']) {
    await page.goto(address(name));
    await expect_nothing_sticks_out(page);
  }
  await page.goto(address('found/index.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('expected serialization order');
  const first = await page.textContent('#found li:first-child a');
  expect(/order|evidence|format/i.test(first), `the search finds the field order (${first})`);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.href.includes('found/index.html'));
  await page.fill('#search', 'xyzzy').catch(() => undefined);
  await page.screenshot({ path: join(out, `book-${width}.png`) });
  expect(said.length === 0, `nothing is said or fetched: ${said.join('; ')}`);
  await page.close();
}
await end();
