// build.mjs: web/src -> web/dist/page.html, the one file that the C++ side fills with data.
//
// `node build.mjs --check` builds it in memory and fails if the one in the tree is another. The page's last line says
// which sources it was built from, so that cmake/PageIsCurrent.cmake can tell without Node.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bundle = async (entry) =>
  (await build({ entryPoints: [here(entry)], bundle: true, minify: true, format: 'iife', target: 'es2022', charset: 'utf8', legalComments: 'none', write: false })).outputFiles[0].text.trim();

const style = (await bundle('src/style.css')).replaceAll('</', '<\\/');
// It stands inside of a <script> element and must not end it.
const script = (await bundle('src/main.ts')).replaceAll('</', '<\\/');
// SHA-256 of the list of each source's name and SHA-256.
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const sources = (await readdir(here('src'))).sort();
const list = await Promise.all(sources.map(async (name) => `${name} ${sha256(await readFile(here(`src/${name}`)))}\n`));
const mark = `<!-- sources ${sha256(list.join(''))} -->\n`;

// The page's policy allows this script and this style, and no others (docs/report.md).
const csp_hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

const page = (await readFile(here('src/page.html'), 'utf8'))
  .replace('{{style-hash}}', csp_hash(style))
  .replace('{{script-hash}}', csp_hash(script))
  .replace('{{style}}', () => style)
  .replace('{{script}}', () => script)
  .concat(mark);

if (process.argv.includes('--check')) {
  const kept = await readFile(here('dist/page.html'), 'utf8').catch(() => '');
  if (kept !== page) {
    console.error('web/dist/page.html is not what web/src gives: run ./dev web');
    process.exit(1);
  }
} else {
  await mkdir(here('dist'), { recursive: true });
  await writeFile(here('dist/page.html'), page);
  console.log(`web/dist/page.html: ${page.length} bytes`);
}
