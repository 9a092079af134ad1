// markdown.mjs: the part of Markdown that the book uses, as HTML: headings, paragraphs, lists, tables, code, quotes,
// links, pictures, bold and italic. No HTML of its own passes: every text is escaped.

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

// As GitHub makes the name of a heading.
export function slug(heading) {
  return heading.toLowerCase().replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
}

// Without its marks: for the search, and for titles.
export function plain(text) {
  return text.replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

// `link`: what an address in the file becomes in the book.
export function inline(text, link) {
  const kept = [];
  const keep = (html) => `\u0000${kept.push(html) - 1}\u0000`;
  let out = text.replace(/(`+)(.+?)\1/g, (_, ticks, code) => keep(`<code>${escape(code.trim() === '' ? code : code.replace(/^ (.*) $/, '$1'))}</code>`));
  out = out.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words, to) => keep(`<img src="${escape(link(to))}" alt="${escape(words)}">`));
  out = out.replace(/\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, words, to) => keep(`<a href="${escape(link(to))}">`) + words + keep('</a>'));
  out = out.replace(/<(https?:[^>\s]+)>/g, (_, to) => keep(`<a href="${escape(to)}">${escape(to)}</a>`));
  out = escape(out)
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '<em>$1</em>');
  for (let round = 0; round < 3; ++round) out = out.replace(/\u0000(\d+)\u0000/g, (_, place) => kept[Number(place)]);
  return out;
}

const is_item = (line) => /^\s*([-*]|\d+\.)\s+/.test(line);
const indent_of = (line) => line.length - line.trimStart().length;
const cells_of = (line) => {
  const cells = [];
  let cell = '';
  let code = false;
  for (const c of line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '').replaceAll('\\|', '\u0001')) {
    if (c === '`') code = !code;
    if (c === '|' && !code) {
      cells.push(cell.trim());
      cell = '';
    } else cell += c;
  }
  return [...cells, cell.trim()].map((one) => one.replaceAll('\u0001', '|'));
};

// `text` as HTML. `headings` gets {level, text, id} of each.
export function render(text, link, headings = []) {
  const lines = text.split('\n');
  const used = new Map();
  const html = [];
  let at = 0;
  const paragraph_ends = (line) => line.trim() === '' || /^(#{1,6}\s|```|>|\|)/.test(line) || is_item(line);

  function list(least) {
    const ordered = /^\s*\d+\./.test(lines[at]);
    const items = [];
    while (at < lines.length && is_item(lines[at]) && indent_of(lines[at]) >= least) {
      const indent = indent_of(lines[at]);
      const marker = lines[at].match(/^\s*([-*]|\d+\.)\s+/)[0].length;
      let words = lines[at].slice(marker);
      let rest = '';
      ++at;
      while (at < lines.length) {
        const line = lines[at];
        if (is_item(line) && indent_of(line) > indent) rest += list(indent + 1);
        else if (line.trim() === '' && lines[at + 1]?.trim() && indent_of(lines[at + 1]) >= marker) {
          const block = [];
          ++at;
          while (at < lines.length && (lines[at].trim() === '' || indent_of(lines[at]) >= marker)) block.push(lines[at++].slice(marker));
          rest += render(block.join('\n'), link);
        } else if (line.trim() === '' || is_item(line) || indent_of(line) < Math.min(marker, 2)) break;
        else {
          words += ` ${line.trim()}`;
          ++at;
        }
      }
      items.push(`<li>${inline(words, link)}${rest}</li>`);
      while (at + 1 < lines.length && lines[at].trim() === '' && is_item(lines[at + 1]) && indent_of(lines[at + 1]) === indent) ++at;
    }
    return ordered ? `<ol>${items.join('')}</ol>` : `<ul>${items.join('')}</ul>`;
  }

  while (at < lines.length) {
    const line = lines[at];
    const heading = line.match(/^(#{1,6})\s+(.*)$/);
    const fence = line.match(/^(\s*)(`{3,})(\w*)/);
    if (line.trim() === '') ++at;
    else if (heading) {
      const level = heading[1].length;
      let id = slug(heading[2]);
      const times = used.get(id) ?? 0;
      used.set(id, times + 1);
      if (times > 0) id += `-${times}`;
      headings.push({ level, text: plain(heading[2]), id });
      html.push(`<h${level} id="${id}">${inline(heading[2], link)} <a class="here" href="#${id}" aria-label="link to this section">#</a></h${level}>`);
      ++at;
    } else if (fence) {
      const code = [];
      for (++at; at < lines.length && !lines[at].trim().startsWith(fence[2]); ++at) code.push(lines[at].slice(Math.min(fence[1].length, indent_of(lines[at]))));
      ++at;
      html.push(`<pre class="${fence[3] || 'text'}" tabindex="0"><code>${escape(code.join('\n'))}</code></pre>`);
    } else if (line.startsWith('>')) {
      const quoted = [];
      while (at < lines.length && lines[at].startsWith('>')) quoted.push(lines[at++].replace(/^>\s?/, ''));
      html.push(`<blockquote>${render(quoted.join('\n'), link)}</blockquote>`);
    } else if (line.startsWith('|') && /^\|[\s|:-]+\|?\s*$/.test(lines[at + 1] ?? '')) {
      const right = cells_of(lines[at + 1]).map((cell) => (/-:$/.test(cell) ? ' class="number"' : ''));
      const row = (cells, tag) => `<tr>${cells.map((cell, i) => `<${tag}${right[i] ?? ''}>${inline(cell, link)}</${tag}>`).join('')}</tr>`;
      const head = row(cells_of(line), 'th');
      const body = [];
      for (at += 2; at < lines.length && lines[at].startsWith('|'); ++at) body.push(row(cells_of(lines[at]), 'td'));
      html.push(`<div class="wide"><table><thead>${head}</thead><tbody>${body.join('')}</tbody></table></div>`);
    } else if (is_item(line)) html.push(list(indent_of(line)));
    else {
      const words = [line.trim()];
      for (++at; at < lines.length && !paragraph_ends(lines[at]); ++at) words.push(lines[at].trim());
      html.push(`<p>${inline(words.join(' '), link)}</p>`);
    }
  }
  return html.join('\n');
}
