// lattice.ts: the levels and what holds: the strongest above, a line from each to those that it implies.
import type { CheckPage, LevelState } from './data';
import { h, s } from './dom';

const kWidth = 284;
const kHeight = 34;
const kGap = { x: 16, y: 22 };
const kMarks: Record<LevelState['state'], string> = { satisfied: '✓', violated: '✗', undecided: '?', 'not-tested': '○', unknown: '·' };

// How many steps up from the weakest.
function depths(page: CheckPage): number[] {
  // Where it is not known which implies which: four in a line.
  if (page.weaker.length === 0) return page.levels.map((_, i) => Math.floor((page.levels.length - 1 - i) / 4));
  const depth = page.levels.map(() => 0);
  for (let round = 0; round < page.levels.length; ++round) {
    for (const [stronger, weaker] of page.weaker) depth[stronger] = Math.max(depth[stronger]!, depth[weaker]! + 1);
  }
  return depth;
}

const kNarrow = 640;

// On a telephone the picture's letters would be too small: the same as a list, the strongest first.
function as_list(page: CheckPage, depth: number[]): HTMLElement {
  const order = page.levels.map((_, i) => i).sort((a, b) => depth[b]! - depth[a]!);
  return h('ul', { class: 'levels-list' }, ...order.map((i) => {
    const level = page.levels[i]!;
    return h('li', { class: `${level.state}${level.asked ? ' asked' : ''}` }, `${kMarks[level.state]} ${level.name}`);
  }));
}

export function lattice(page: CheckPage): HTMLElement {
  const depth = depths(page);
  const top = Math.max(0, ...depth);
  const lines = Array.from({ length: top + 1 }, (_, i) => page.levels.flatMap((_, k) => (depth[k] === top - i ? [k] : [])));
  const width = Math.max(...lines.map((line) => line.length)) * (kWidth + kGap.x);
  const at = new Map<number, { x: number; y: number }>();
  lines.forEach((line, i) => {
    const indent = (width - line.length * (kWidth + kGap.x)) / 2;
    line.forEach((level, k) => at.set(level, { x: indent + k * (kWidth + kGap.x) + kGap.x / 2, y: i * (kHeight + kGap.y) + 4 }));
  });
  const svg = s('svg', { viewBox: `0 0 ${width} ${(top + 1) * (kHeight + kGap.y)}`, width, class: 'lattice', role: 'img', 'aria-label': page.levels.map((level) => `${level.name}: ${level.state}`).join(', ') });
  for (const [stronger, weaker] of page.weaker) {
    const from = at.get(stronger)!;
    const to = at.get(weaker)!;
    svg.append(s('line', { x1: from.x + kWidth / 2, y1: from.y + kHeight, x2: to.x + kWidth / 2, y2: to.y }));
  }
  page.levels.forEach((level, k) => {
    const { x, y } = at.get(k)!;
    svg.append(s('g', { class: `level ${level.state}${level.asked ? ' asked' : ''}` },
      s('rect', { x, y, width: kWidth, height: kHeight, rx: 8 }),
      s('text', { x: x + kWidth / 2, y: y + 22, 'text-anchor': 'middle' }, `${kMarks[level.state]} ${level.name}`),
      s('title', {}, level.meaning)));
  });
  const untested = page.levels.some((level) => level.state === 'not-tested');
  const legend = untested ? h('p', { class: 'legend' }, '○ not tested: the history has no clocks or sessions that the level could be tested by') : null;
  const picture = innerWidth < kNarrow ? as_list(page, depth) : h('div', { class: 'scroll' }, svg);
  return h('div', {}, picture, legend);
}
