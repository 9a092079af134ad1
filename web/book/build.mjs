// build.mjs: docs/*.md -> a folder of HTML pages with a table of contents and a search, for `./dev docs`.
//
// usage: node build.mjs ROOT OUT [--check]. The order is that of docs/README.md. Nothing is fetched: each page has its
// style and script beside it, and the search's index is a script. --check: also fails where a page is in no chapter, a
// link leads nowhere, or a name that must be found is not.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inline, plain, render } from './markdown.mjs';

const [root, out, ...flags] = process.argv.slice(2);
const check = flags.includes('--check');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const faults = [];

// Chapters, and their pages, from the table of contents.
const contents = readFileSync(join(root, 'docs/README.md'), 'utf8');
const chapters = [];
for (const line of contents.split('\n')) {
  const heading = line.match(/^## (.*)/);
  if (heading) chapters.push({ title: heading[1], pages: [] });
  const item = line.match(/^- \[([^\]]+)\]\(([^)#]+\.md)\)/);
  if (item && chapters.length > 0) {
    const file = normalize(join('docs', item[2]));
    if (!chapters.some((chapter) => chapter.pages.some((page) => page.file === file))) chapters.at(-1).pages.push({ file, title: item[1] });
  }
}
chapters.unshift({ title: '', pages: [{ file: 'README.md', title: 'Isolde' }, { file: 'docs/README.md', title: 'Contents' }] });
const listed = new Set(chapters.flatMap((chapter) => chapter.pages.map((page) => page.file)));
for (const folder of ['docs', 'docs/found']) {
  for (const name of readdirSync(join(root, folder)).filter((one) => one.endsWith('.md')).sort()) {
    const file = join(folder, name);
    if (listed.has(file)) continue;
    // The pages of the bugs that were found are in a table of their own.
    if (folder === 'docs/found') chapters.find((chapter) => chapter.pages.some((page) => page.file === 'docs/found/README.md'))?.pages.push({ file, title: '', hidden: true });
    else faults.push(`${file} is in no chapter of docs/README.md`);
  }
}
const more = ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].filter((file) => existsSync(join(root, file)));
chapters.push({ title: 'The project', pages: more.map((file) => ({ file, title: '' })) });
const pages = chapters.flatMap((chapter) => chapter.pages);

// README.md -> index.html, docs/found/x.md -> found/x.html, docs/README.md -> contents.html.
const target = (file) => {
  if (file === 'README.md') return 'index.html';
  if (file === 'docs/README.md') return 'contents.html';
  return file.replace(/^docs\//, '').replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
};
const by_file = new Map(pages.map((page) => [page.file, page]));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const links = []; // [page, file, anchor]
for (const page of pages) {
  const text = readFileSync(join(root, page.file), 'utf8');
  const link = (to) => {
    if (/^(https?:|mailto:)/.test(to)) return to;
    const [path, anchor] = to.split('#');
    const file = path === '' ? page.file : normalize(join(dirname(page.file), path));
    const end = anchor ? `#${anchor}` : '';
    if (by_file.has(file)) {
      links.push([page.file, file, anchor]);
      return (relative(dirname(target(page.file)), target(file)) || target(file).split('/').at(-1)) + end;
    }
    if (!existsSync(join(root, file))) {
      faults.push(`${page.file} links to ${to}, which is not there`);
      return to;
    }
    // A file of the project that is no page: it comes along.
    if (/\.(png|svg|sh|sql|yml|toml|json|py|cc|c|cff)$|LICENSE$/.test(file)) {
      const place = join('files', file);
      mkdirSync(dirname(join(out, place)), { recursive: true });
      cpSync(join(root, file), join(out, place));
      return join(relative(dirname(target(page.file)), '.'), place);
    }
    return `${relative(dirname(target(page.file)), '.') || '.'}/contents.html`;
  };
  page.headings = [];
  page.html = render(text, link, page.headings);
  page.heading = page.headings[0]?.text ?? page.file;
  page.title ||= page.heading;
  page.text = text;
}
for (const [from, file, anchor] of links) {
  if (anchor && !by_file.get(file).headings.some((heading) => heading.id === anchor)) faults.push(`${from} links to ${file}#${anchor}, which is no heading`);
}

// The search's index: a section each, with its words.
const sections = [];
for (const page of pages) {
  let section = { page: target(page.file), title: page.heading, at: '', text: '' };
  let place = 0;
  let fenced = false;
  for (const line of page.text.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    if (!fenced && /^#{1,6}\s/.test(line)) {
      if (section.text.trim() !== '') sections.push(section);
      const heading = page.headings[place++];
      section = { page: target(page.file), title: page.heading, at: place === 1 ? '' : heading.id, heading: place === 1 ? '' : heading.text, text: '' };
    } else if (!line.startsWith('```')) section.text += ` ${plain(line).replace(/[|]/g, ' ').trim()}`;
  }
  sections.push(section);
}
for (const section of sections) section.text = section.text.replace(/\s+/g, ' ').trim();

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const template = readFileSync(here('page.html'), 'utf8');
const nav = (page) => chapters.map((chapter) => {
  const shown = chapter.pages.filter((one) => !one.hidden);
  if (shown.length === 0) return '';
  const items = shown.map((one) => `<li><a href="${relative(dirname(target(page.file)), target(one.file))}"${one === page ? ' aria-current="page"' : ''}>${inline(one.title, (to) => to)}</a></li>`);
  return `${chapter.title ? `<h2>${escape(chapter.title)}</h2>` : ''}<ul>${items.join('')}</ul>`;
}).join('\n');
const walk = pages.filter((page) => !page.hidden);
for (const page of pages) {
  const place = walk.indexOf(page);
  const step = (one, words) => (one ? `<a href="${relative(dirname(target(page.file)), target(one.file))}">${words} ${escape(plain(one.title))}</a>` : '<span></span>');
  const inside = page.headings.filter((heading) => heading.level === 2);
  const html = template
    .replaceAll('{{base}}', relative(dirname(target(page.file)), '.') || '.')
    .replace('{{title}}', () => escape(page.file === 'README.md' ? 'Isolde' : `${page.heading} · Isolde`))
    .replace('{{contents}}', () => nav(page))
    .replace('{{here}}', () => (inside.length < 2 ? '' : `<nav class="inside" aria-label="On this page"><ul>${inside.map((heading) => `<li><a href="#${heading.id}">${escape(heading.text)}</a></li>`).join('')}</ul></nav>`))
    .replace('{{body}}', () => page.html)
    .replace('{{steps}}', () => (place < 0 ? '' : `${step(walk[place - 1], '←')}${step(walk[place + 1], '→')}`));
  mkdirSync(dirname(join(out, target(page.file))), { recursive: true });
  writeFileSync(join(out, target(page.file)), html);
}
writeFileSync(join(out, 'search_index.js'), `window.isoldeSections = ${JSON.stringify(sections)};\n`);
for (const name of ['book.css', 'book.js']) cpSync(here(name), join(out, name));

console.log(`${pages.length} pages, ${sections.length} sections, ${links.length} links: ${join(out, 'index.html')}`);
for (const fault of faults) console.error(`FAULT: ${fault}`);
if (check && faults.length > 0) process.exit(1);
