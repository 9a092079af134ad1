// cycle_graph.ts: an anomaly's cycle as a picture: a box a transaction with its operations, an arrow a dependency, from
// the operation that gives rise to it to the one that it leads to.
import type { Anomaly, Step, Transaction } from './data';
import { ends, s, shortened } from './dom';

const kRow = 20; // height of an operation
const kHead = 28;
const kLetter = 7.3; // width of a letter of the picture's font
const kGap = { x: 220, y: 96 };
const kMostLetters = 44;
const kMostRows = 14;
const kBorder = 10;
const kSmallest = 0.6; // of its size: smaller cannot be read, and it scrolls
const kMostOfAName = 28;
const kMostOnTwoLines = 6; // boxes; more stand in lines of kInALine
const kInALine = 3;

interface Box {
  place: number; // in CheckPage.transactions
  x: number;
  y: number;
  width: number;
  height: number;
  rows: number[]; // operations that are shown
  left_out: number;
}

export interface GraphView {
  element: SVGSVGElement;
  select(step: number | null): void;
}

// Of a long transaction: the operations that the cycle is about, and the first others.
function shown_rows(transaction: Transaction, wanted: Set<number>): number[] {
  const all = transaction.ops.map((_, i) => i);
  if (all.length <= kMostRows) return all;
  const rows = new Set(wanted);
  for (const i of all) {
    if (rows.size >= kMostRows) break;
    rows.add(i);
  }
  return [...rows].sort((a, b) => a - b);
}

// The first half from left to right, the second back below it: a cycle runs clockwise.
function place_boxes(anomaly: Anomaly, transactions: Transaction[]): Box[] {
  const wanted = new Map<number, Set<number>>();
  for (const step of anomaly.steps) {
    for (const [who, op] of [[step.from, step.from_op], [step.to, step.to_op]] as const) {
      const ops = wanted.get(who) ?? new Set<number>();
      if (op !== undefined) ops.add(op);
      wanted.set(who, ops);
    }
  }
  const members = anomaly.transactions.length > 0 ? anomaly.transactions : [...wanted.keys()];
  const boxes = members.map((place): Box => {
    const transaction = transactions[place]!;
    const rows = shown_rows(transaction, wanted.get(place) ?? new Set());
    const letters = Math.max(
      short_label(transaction).length + 2,
      ...rows.map((i) => Math.min(kMostLetters, transaction.ops[i]!.text.length) + 3),
    );
    const left_out = transaction.ops.length - rows.length;
    return {
      place, x: 0, y: 0, rows, left_out,
      width: letters * kLetter + 24,
      height: kHead + (rows.length + (left_out > 0 ? 1 : 0)) * kRow + 10,
    };
  });
  const above = boxes.slice(0, Math.ceil(boxes.length / 2));
  const below = boxes.slice(above.length).reverse();
  // A long one runs to and fro, from line to line.
  const to_and_fro = Array.from({ length: Math.ceil(boxes.length / kInALine) }, (_, i) => {
    const line = boxes.slice(i * kInALine, (i + 1) * kInALine);
    return i % 2 === 0 ? line : line.reverse();
  });
  const lines = boxes.length === 2 ? [boxes] : boxes.length > kMostOnTwoLines ? to_and_fro : [above, below];
  const gap = lines === to_and_fro ? kGap.x * 0.7 : kGap.x;
  const widths = lines.map((line) => line.reduce((sum, box) => sum + box.width + gap, -gap));
  const width = Math.max(...widths);
  let y = 10;
  lines.forEach((line, i) => {
    const centred = (width - widths[i]!) / 2;
    let x = (lines === to_and_fro ? (i % 2 === 0 ? 0 : 2 * centred) : centred) + kBorder;
    for (const box of line) {
      box.x = x;
      box.y = y;
      x += box.width + gap;
    }
    y += Math.max(0, ...line.map((box) => box.height)) + kGap.y;
  });
  return boxes;
}

export function label(transaction: Transaction): string {
  return `${transaction.id}${transaction.session ? ` · session ${transaction.session}` : ''}`;
}

// In a box: long names would make it so wide that nothing can be read.
function short_label(transaction: Transaction): string {
  const session = transaction.session ? ` · session ${ends(transaction.session, 14)}` : '';
  return `${ends(transaction.id, kMostOfAName)}${session}`;
}

function anchor(box: Box, op: number | undefined, right: boolean): { x: number; y: number } {
  const row = op === undefined ? -1 : box.rows.indexOf(op);
  return { x: right ? box.x + box.width : box.x, y: row < 0 ? box.y + kHead / 2 : box.y + kHead + (row + 0.5) * kRow + 4 };
}

function arrow_path(from: Box, to: Box, step: Step, words_width: number, middle: number): { path: string; x: number; y: number } {
  const apart = to.x + to.width / 2 - (from.x + from.width / 2);
  const beside = Math.abs(apart) > 40;
  // One that goes straight down, or back to its own box, passes outside.
  const right = beside ? apart > 0 : from === to || from.x + from.width / 2 >= middle;
  const start = anchor(from, step.from_op, right);
  const end = anchor(to, step.to_op, beside ? !right : right);
  const pull = beside ? Math.max(40, Math.abs(end.x - start.x) / 2) : 70;
  const out = right ? pull : -pull;
  const into = beside ? -out : out;
  const c1 = { x: start.x + out, y: start.y };
  const c2 = { x: end.x + into, y: end.y };
  // The label stands nearer to where the arrow begins, so that those of two that cross do not cover each other.
  const t = 0.3;
  const on_curve = (a: number, b: number, c: number, d: number): number =>
    (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
  const x = on_curve(start.x, c1.x, c2.x, end.x);
  return {
    path: `M${start.x},${start.y} C${c1.x},${c1.y} ${c2.x},${c2.y} ${end.x},${end.y}`,
    x: Math.sign(out) * Math.max(Math.sign(out) * x, Math.sign(out) * start.x + words_width / 2 + 14),
    y: on_curve(start.y, c1.y, c2.y, end.y),
  };
}

// One that closes a long cycle goes around all of it: below, and up on the left.
function detour(from: Box, to: Box, step: Step, bottom: number, left: number): { path: string; x: number; y: number } {
  const end = anchor(to, step.to_op, false);
  const start = from.x + from.width / 2;
  return { path: `M${start},${from.y + from.height} V${bottom} H${left} V${end.y} H${end.x}`, x: left, y: (bottom + end.y) / 2 };
}

export function cycle_graph(
  anomaly: Anomaly,
  transactions: Transaction[],
  on_select: (step: number) => void,
): GraphView {
  const boxes = place_boxes(anomaly, transactions);
  const by_place = new Map(boxes.map((box) => [box.place, box]));
  // On the right of the last box there is room for an arrow that comes back to it, with its words.
  const beside = anomaly.steps.some((step) => step.from === step.to) || boxes.length > 2;
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + (beside ? 170 : 20);
  const long = boxes.length > kMostOnTwoLines;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 20;
  const height = bottom + (long ? 14 : 0);
  const left = long ? -170 : 0; // and on the left
  const guilty = new Map<string, number[]>(); // "transaction/operation" -> steps

  anomaly.steps.forEach((step, i) => {
    for (const [who, op] of [[step.from, step.from_op], [step.to, step.to_op]] as const) {
      if (op === undefined) continue;
      const at = `${who}/${op}`;
      guilty.set(at, [...(guilty.get(at) ?? []), i]);
    }
  });

  const svg = s('svg', {
    viewBox: `${left} 0 ${width - left} ${height}`, width: width - left, height, style: `min-width: ${Math.round((width - left) * kSmallest)}px`, class: 'cycle', role: 'group',
    'aria-label': `Cycle of ${boxes.length} transactions`,
  });
  svg.append(
    s('defs', {},
      ...['ww', 'wr', 'rw', 'other'].map((kind) =>
        s('marker', { id: `tip-${kind}`, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto' },
          s('path', { d: 'M0,0 L10,5 L0,10 z', class: `tip ${kind}` })))),
  );

  const rows = new Map<string, SVGElement>();
  for (const box of boxes) {
    const transaction = transactions[box.place]!;
    const group = s('g', { class: `txn ${transaction.status}` },
      s('rect', { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }),
      s('text', { x: box.x + 12, y: box.y + 19, class: 'head' }, short_label(transaction), s('title', {}, label(transaction))));
    box.rows.forEach((op, i) => {
      const y = box.y + kHead + i * kRow + 4;
      const operation = transaction.ops[op]!;
      const marks = guilty.has(`${box.place}/${op}`) ? ' guilty' : '';
      const row = s('g', { class: `op ${operation.kind}${marks}` },
        s('rect', { x: box.x + 5, y, width: box.width - 10, height: kRow, rx: 4 }),
        s('text', { x: box.x + 12, y: y + 14 }, shortened(operation.text, kMostLetters)),
        s('title', {}, operation.text));
      rows.set(`${box.place}/${op}`, row);
      group.append(row);
    });
    if (box.left_out > 0) {
      group.append(s('text', { x: box.x + 12, y: box.y + box.height - 10, class: 'more' }, `… ${box.left_out} more`));
    }
    svg.append(group);
  }

  const arrows: SVGElement[] = [];
  anomaly.steps.forEach((step, i) => {
    const from = by_place.get(step.from);
    const to = by_place.get(step.to);
    if (!from || !to) return;
    const kind = ['ww', 'wr', 'rw'].includes(step.type) ? step.type : 'other';
    const words = shortened(step.key === undefined ? step.type : `${step.type} ${step.key}`, 20);
    const up = long && from.y - to.y > 2 * (to.height + kGap.y);
    const { path, x, y } = up ? detour(from, to, step, bottom, left + 60) : arrow_path(from, to, step, words.length * kLetter, width / 2);
    const choose = (): void => on_select(i);
    const arrow = s('g', {
        class: `arrow ${kind}`, tabindex: 0, role: 'button', 'aria-label': step.text, 'aria-pressed': 'false', 'data-step': i,
        click: choose,
        keydown: (event) => {
          const key = (event as KeyboardEvent).key;
          if (key !== 'Enter' && key !== ' ') return;
          event.preventDefault();
          choose();
        },
      },
      s('path', { d: path, class: 'hit' }),
      s('path', { d: path, class: 'line', 'marker-end': `url(#tip-${kind})` }),
      s('rect', { x: x - (words.length * kLetter) / 2 - 6, y: y - 11, width: words.length * kLetter + 12, height: 21, rx: 6, class: 'tag' }),
      s('text', { x, y: y + 4, 'text-anchor': 'middle' }, words),
      s('title', {}, step.text));
    arrows[i] = arrow;
    svg.append(arrow);
  });

  return {
    element: svg,
    select(chosen) {
      arrows.forEach((arrow, i) => {
        arrow.classList.toggle('chosen', i === chosen);
        arrow.setAttribute('aria-pressed', String(i === chosen));
      });
      for (const [at, row] of rows) row.classList.toggle('chosen', chosen !== null && (guilty.get(at) ?? []).includes(chosen));
    },
  };
}
