// class_graph.ts: the classes of an application on a circle, with lines between those that depend on each other. One that
// is chosen stands out with its lines, and what they are about is told below.
import type { AuditPage } from './data';
import { ends, grouped, h, pressed, replace, s } from './dom';

const kLetter = 6.1; // width of a letter of this picture's font
const kMostOfAName = typeof innerWidth !== 'undefined' && innerWidth < 640 ? 16 : 34; // on a telephone they are to be read, too
const kFew = 8; // classes that fit a telephone
const kMostTold = 40; // dependencies

type Edge = AuditPage['edges'][number];

function told(page: AuditPage, place: number): HTMLElement {
  const name = (other: number): string => page.classes[other]?.name ?? `class ${other + 1}`;
  const own = page.edges.filter((edge) => edge.from === place || edge.to === place);
  const line = (edge: Edge): HTMLElement => h('li', {}, h('span', { class: `kind ${kind_of(edge)}` }, edge.kinds), ' ',
    edge.from === edge.to ? 'another run of it' : edge.from === place ? `then ${name(edge.to)}` : `after ${name(edge.from)}`, h('small', {}, ` ${edge.columns.join(', ')}`));
  return h('div', { class: 'evidence' }, h('p', {}, h('b', {}, name(place)), ` depends on others, or they on it, in ${grouped(own.length)} ${own.length === 1 ? 'way' : 'ways'}:`),
    h('ul', {}, ...own.slice(0, kMostTold).map(line)),
    own.length > kMostTold ? h('p', { class: 'left-out' }, `and ${grouped(own.length - kMostTold)} more`) : null);
}

const kKinds = ['rw', 'ww', 'wr']; // what matters most first

function kind_of(edge: Edge): string {
  return kKinds.find((kind) => edge.kinds.includes(kind)) ?? 'other';
}

export function class_graph(page: AuditPage): HTMLElement | null {
  const used = [...new Set(page.edges.flatMap((edge) => [edge.from, edge.to]))].sort((a, b) => a - b);
  if (used.length === 0) return null;
  const names = used.map((place) => ends(page.classes[place]?.name ?? '', kMostOfAName));
  const radius = used.length <= 4 ? 60 : Math.max(130, used.length * 5);
  const reach = radius + 24 + Math.max(...names.map((name) => name.length)) * kLetter;
  const high = radius + 24 + (used.length > kFew ? reach - radius - 24 : 30);
  const turn_of = (i: number): number => ((i + 0.5) / used.length) * 2 * Math.PI - Math.PI / 2;
  const at = new Map(used.map((place, i) => [place, { x: radius * Math.cos(turn_of(i)), y: radius * Math.sin(turn_of(i)) }]));
  const svg = s('svg', { viewBox: `${-reach} ${-high} ${2 * reach} ${2 * high}`, class: used.length > kFew ? 'class-graph many' : 'class-graph', role: 'group', 'aria-label': `${used.length} classes that depend on others` });
  // One line for all that lies between two classes, in the colour of what matters most.
  const pairs = new Map<string, Edge[]>();
  for (const edge of page.edges.filter((one) => one.from !== one.to)) {
    const pair = `${Math.min(edge.from, edge.to)} ${Math.max(edge.from, edge.to)}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []), edge]);
  }
  const lines: { from: number; to: number; line: SVGElement }[] = [...pairs.values()].map((edges) => {
    const { from, to } = edges[0]!;
    const [a, b] = [at.get(from)!, at.get(to)!];
    const kind = kKinds.find((one) => edges.some((edge) => kind_of(edge) === one)) ?? 'other';
    const line = s('path', { d: `M${a.x.toFixed(1)},${a.y.toFixed(1)} Q0,0 ${b.x.toFixed(1)},${b.y.toFixed(1)}`, class: `edge ${kind}` });
    svg.append(line);
    return { from, to, line };
  });
  // Two runs of one class: a loop at it, on the inner side.
  const kLoop = 9;
  for (const place of used) {
    const own = page.edges.filter((edge) => edge.from === place && edge.to === place);
    if (own.length === 0) continue;
    const { x, y } = at.get(place)!;
    const kind = kKinds.find((one) => own.some((edge) => kind_of(edge) === one)) ?? 'other';
    const loop = s('circle', { cx: ((x * (radius - kLoop)) / radius).toFixed(1), cy: ((y * (radius - kLoop)) / radius).toFixed(1), r: kLoop, class: `edge self ${kind}` },
      s('title', {}, `${page.classes[place]?.name ?? ''}: two runs of it depend on each other`));
    svg.append(loop);
    lines.push({ from: place, to: place, line: loop });
  }
  const below = h('div', { 'aria-live': 'polite' });
  let chosen: number | null = null;
  const classes = new Map<number, SVGElement>();
  const mark = (place: number | null): void => {
    svg.classList.toggle('has-choice', place !== null);
    const near = new Set(place === null ? [] : [place]);
    for (const { from, to, line } of lines) {
      const of_it = place === from || place === to;
      line.classList.toggle('chosen', of_it);
      if (of_it) near.add(from).add(to);
    }
    for (const [one, element] of classes) element.classList.toggle('chosen', near.has(one));
  };
  used.forEach((place, i) => {
    const { x, y } = at.get(place)!;
    const one = page.classes[place];
    const on_left = x < 0;
    const degrees = (turn_of(i) * 180) / Math.PI + (on_left ? 180 : 0);
    const choose = (): void => {
      chosen = chosen === place ? null : place;
      mark(chosen);
      replace(below, chosen === null ? null : told(page, chosen));
    };
    const group = s('g', {
        class: `class ${one?.reads_only ? 'reads' : 'writes'}`, 'aria-label': one?.name ?? '', ...pressed(choose),
        focus: () => mark(place), blur: () => mark(chosen), mouseenter: () => mark(place), mouseleave: () => mark(chosen),
      },
      s('circle', { cx: x, cy: y, r: 5 }),
      s('text', { transform: `translate(${((x * (radius + 11)) / radius).toFixed(1)},${((y * (radius + 11)) / radius).toFixed(1)}) rotate(${degrees.toFixed(1)})`, 'text-anchor': on_left ? 'end' : 'start', dy: 3.5 }, names[i]!),
      s('title', {}, one?.name ?? ''));
    classes.set(place, group);
    svg.append(group);
  });
  return h('div', {}, h('div', { class: 'scroll' }, svg),
    h('p', { class: 'legend' }, '● writes  ○ only reads; ', h('span', { class: 'kind rw' }, 'rw'), ' one reads what the other overwrites, ', h('span', { class: 'kind ww' }, 'ww'), ' both write, ', h('span', { class: 'kind wr' }, 'wr'), ' one reads what the other wrote; a loop: two runs of one class. Click a class to see what it depends on.'),
    below);
}
