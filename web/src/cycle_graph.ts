// cycle_graph.ts: an anomaly's cycle as a picture: a box a transaction with its operations, an arrow a dependency, from
// the operation that gives rise to it to the one that it leads to.
import type { Anomaly, Step, Transaction } from './data';
import { ends, pressed, s } from './dom';
import { layout, type Size, type Wanted } from './graph_layout';

const kRow = 20; // height of an operation
const kHead = 28;
const kLetter = 7.3; // width of a letter of the picture's font
const kMostLetters = 40;
const kMostRows = 14;
const kSmallest = 0.7; // of its size: smaller cannot be read, and it scrolls
const kMostOfAName = 24;
const kTelephone = 640; // pixels: narrower, boxes stand below each other
const kMostOfALabel = 20; // letters

interface Box {
  place: number; // in CheckPage.transactions
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

function boxes_of(anomaly: Anomaly, transactions: Transaction[]): Box[] {
  const wanted = new Map<number, Set<number>>();
  for (const step of anomaly.steps) {
    for (const [who, op] of [[step.from, step.from_op], [step.to, step.to_op]] as const) {
      const ops = wanted.get(who) ?? new Set<number>();
      if (op !== undefined) ops.add(op);
      wanted.set(who, ops);
    }
  }
  const members = anomaly.transactions.length > 0 ? anomaly.transactions : [...wanted.keys()];
  return members.map((place): Box => {
    const rows = shown_rows(transactions[place]!, wanted.get(place) ?? new Set());
    return { place, rows, left_out: transactions[place]!.ops.length - rows.length };
  });
}

function size_of(box: Box, transaction: Transaction): Size {
  const letters = Math.max(
    short_label(transaction).length + 2,
    ...box.rows.map((i) => Math.min(kMostLetters, transaction.ops[i]!.text.length) + 3),
  );
  return { width: letters * kLetter + 24, height: kHead + (box.rows.length + (box.left_out > 0 ? 1 : 0)) * kRow + 10 };
}

export function label(transaction: Transaction): string {
  return `${transaction.id}${transaction.session ? ` · session ${transaction.session}` : ''}`;
}

// In a box: long names would make it so wide that nothing can be read.
function short_label(transaction: Transaction): string {
  const session = transaction.session ? ` · session ${ends(transaction.session, 14)}` : '';
  return `${ends(transaction.id, kMostOfAName)}${session}`;
}

// Where an operation stands in its box: from its upper edge down.
function height_in(box: Box, op: number | undefined): number {
  const row = op === undefined ? -1 : box.rows.indexOf(op);
  return row < 0 ? kHead / 2 : kHead + (row + 0.5) * kRow + 4;
}

function words_of(step: Step): string {
  return step.key === undefined ? step.type : `${step.type} ${ends(step.key, kMostOfALabel - step.type.length)}`;
}

export function cycle_graph(
  anomaly: Anomaly,
  transactions: Transaction[],
  on_select: (step: number) => void,
): GraphView {
  const boxes = boxes_of(anomaly, transactions);
  const by_place = new Map(boxes.map((box, i) => [box.place, i]));
  // What one operation shows by itself has a mark and no arrow.
  const is_drawn = (step: Step): boolean => by_place.has(step.from) && by_place.has(step.to)
    && (step.from !== step.to || (step.from_op !== undefined && step.to_op !== undefined && step.from_op !== step.to_op));
  const steps = anomaly.steps.flatMap((step, i) => (is_drawn(step) ? [i] : []));
  const picture = layout(
    boxes.map((box) => size_of(box, transactions[box.place]!)),
    steps.map((i): Wanted => {
      const step = anomaly.steps[i]!;
      const [from, to] = [by_place.get(step.from)!, by_place.get(step.to)!];
      return { from, to, from_y: height_in(boxes[from]!, step.from_op), to_y: height_in(boxes[to]!, step.to_op), label: words_of(step).length * kLetter + 12 };
    }),
    innerWidth < kTelephone);
  const guilty = new Map<string, number[]>(); // "transaction/operation" -> steps

  anomaly.steps.forEach((step, i) => {
    for (const [who, op] of [[step.from, step.from_op], [step.to, step.to_op]] as const) {
      if (op === undefined) continue;
      const at = `${who}/${op}`;
      guilty.set(at, [...(guilty.get(at) ?? []), i]);
    }
  });

  const svg = s('svg', {
    viewBox: `0 0 ${picture.width} ${picture.height}`, width: picture.width, height: picture.height,
    style: `min-width: ${Math.round(picture.width * kSmallest)}px`, class: 'cycle', role: 'group',
    'aria-label': `Cycle of ${boxes.length} transactions`,
  });
  svg.append(
    s('defs', {},
      ...['ww', 'wr', 'rw', 'other'].map((kind) =>
        s('marker', { id: `tip-${kind}`, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto' },
          s('path', { d: 'M0,0 L10,5 L0,10 z', class: `tip ${kind}` })))),
  );

  const rows = new Map<string, SVGElement>();
  boxes.forEach((box, i) => {
    const transaction = transactions[box.place]!;
    const { x, y: top, width, height } = picture.boxes[i]!;
    const group = s('g', { class: `txn ${transaction.status}` },
      s('rect', { x, y: top, width, height, rx: 8 }),
      s('text', { x: x + 12, y: top + 19, class: 'head' }, short_label(transaction), s('title', {}, label(transaction))));
    box.rows.forEach((op, row_number) => {
      const y = top + kHead + row_number * kRow + 4;
      const operation = transaction.ops[op]!;
      const marks = guilty.has(`${box.place}/${op}`) ? ' guilty' : '';
      const row = s('g', { class: `op ${operation.kind}${marks}` },
        s('rect', { x: x + 5, y, width: width - 10, height: kRow, rx: 4 }),
        s('text', { x: x + 12, y: y + 14 }, ends(operation.text, kMostLetters)),
        s('title', {}, operation.text));
      rows.set(`${box.place}/${op}`, row);
      group.append(row);
    });
    if (box.left_out > 0) {
      group.append(s('text', { x: x + 12, y: top + height - 10, class: 'more' }, `… ${box.left_out} more`));
    }
    svg.append(group);
  });

  // Lines below all labels, or one would strike out what another says.
  const lines = s('g', { 'aria-hidden': 'true' });
  svg.append(lines);
  const arrows: SVGElement[][] = [];
  steps.forEach((i, drawn) => {
    const step = anomaly.steps[i]!;
    const kind = ['ww', 'wr', 'rw'].includes(step.type) ? step.type : 'other';
    const { path, label: tag } = picture.arrows[drawn]!;
    const choose = (): void => on_select(i);
    const line = s('g', { class: `line-of ${kind}`, click: choose },
      s('path', { d: path, class: 'hit' }),
      s('path', { d: path, class: 'line', 'marker-end': `url(#tip-${kind})` }),
      s('title', {}, step.text));
    lines.append(line);
    const arrow = s('g', {
        class: `arrow ${kind}`, 'aria-label': step.text, 'aria-pressed': 'false', 'data-step': i, ...pressed(choose),
      },
      s('rect', { x: tag.x, y: tag.y, width: tag.width, height: tag.height, rx: 6, class: 'tag' }),
      s('text', { x: tag.x + tag.width / 2, y: tag.y + 15, 'text-anchor': 'middle' }, words_of(step)),
      s('title', {}, step.text));
    arrows[i] = [line, arrow];
    svg.append(arrow);
  });

  return {
    element: svg,
    select(chosen) {
      arrows.forEach((parts, i) => { // sparse: not every step has one
        for (const part of parts) part.classList.toggle('chosen', i === chosen);
        parts[1]!.setAttribute('aria-pressed', String(i === chosen));
      });
      for (const [at, row] of rows) row.classList.toggle('chosen', chosen !== null && (guilty.get(at) ?? []).includes(chosen));
    },
  };
}
