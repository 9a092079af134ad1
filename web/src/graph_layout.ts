// graph_layout.ts: where the boxes, arrows and labels of a cycle's picture stand. Only numbers, no elements.
//
// Boxes stand in two columns, and a cycle runs clockwise through them: down on the right, up on the left. Arrows keep to
// the channels beside the columns, so none ever crosses a box:
//   - one from column to column curves through the channel between them;
//   - one inside of a column is a bracket beside it: in the channel between the columns, or outside where that is taken;
//   - where there is no room for two columns, all boxes stand in one;
//   - of two boxes, an arrow back goes around below them, so that it does not cross the one there.
// A label stands on its arrow, at the first place where it covers neither a box nor another label.

export interface Size {
  width: number;
  height: number;
}

// An arrow between two boxes (their places), from a height of one to a height of the other.
export interface Wanted {
  from: number;
  to: number;
  from_y: number;
  to_y: number;
  label: number; // its width
}

export interface Rect extends Size {
  x: number;
  y: number;
}

export interface Arrow {
  path: string;
  label: Rect;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Rect[];
  arrows: Arrow[];
}

const kMargin = 10;
const kBetween = 34; // boxes of a column
const kMostBetween = 70; // where the other column is longer
const kLabelHeight = 21;
const kNarrowest = 190; // channel between the columns
const kLane = 22; // from a box to the first bracket, and from a bracket to the next
const kCorner = 9;

type Side = 'inner' | 'outer';

interface Bracket {
  arrow: number;
  left: boolean; // column
  side: Side;
  lane: number;
  top: number;
  bottom: number;
}

interface Point {
  x: number;
  y: number;
}

function overlap(a: Rect, b: Rect): number {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

// The first on the left, the next ones down on the right, the rest up on the left. `narrow`: all below each other.
function columns(count: number, narrow: boolean): { left: number[]; right: number[] } {
  const places = Array.from({ length: count }, (_, i) => i);
  if (narrow) return { left: places, right: [] };
  const right = places.slice(1, 1 + Math.floor(count / 2));
  return { left: [0, ...places.slice(1 + right.length).reverse()].slice(0, count), right };
}

function stacked(column: number[], sizes: Size[], between: number): number {
  return column.reduce((sum, place) => sum + sizes[place]!.height + between, -between);
}

function put(column: number[], sizes: Size[], boxes: Rect[], x: number, width: number, height: number): void {
  const natural = stacked(column, sizes, kBetween);
  const gaps = column.length - 1;
  const between = gaps === 0 ? 0 : Math.min(kMostBetween, kBetween + (height - natural) / gaps);
  let y = kMargin + (height - stacked(column, sizes, between)) / 2;
  for (const place of column) {
    boxes[place] = { x, y, width, height: sizes[place]!.height };
    y += sizes[place]!.height + between;
  }
}

// Which bracket goes where: beside what is taken already, the nearest place that is free.
function brackets(wanted: Wanted[], heights: { from: number; to: number }[], is_left: boolean[], alone: boolean): Bracket[] {
  const placed: Bracket[] = [];
  const inside = wanted.map((_, i) => i).filter((i) => is_left[wanted[i]!.from] === is_left[wanted[i]!.to]);
  const reach = (i: number): number => Math.abs(heights[i]!.to - heights[i]!.from);
  for (const arrow of inside.sort((a, b) => reach(a) - reach(b))) {
    const { from, to } = heights[arrow]!;
    const left = is_left[wanted[arrow]!.from]!;
    const [top, bottom] = [Math.min(from, to) - 4, Math.max(from, to) + 4];
    const free = (side: Side, lane: number): boolean => !placed.some((other) =>
      other.left === left && other.side === side && other.lane === lane && other.top < bottom && top < other.bottom);
    for (let lane = 0; ; ++lane) {
      const side = (alone ? (['inner'] as const) : (['inner', 'outer'] as const)).find((one) => free(one, lane));
      if (side === undefined) continue;
      placed.push({ arrow, left, side, lane, top, bottom });
      break;
    }
  }
  return placed;
}

function label_at(centre: Point, width: number): Rect {
  return { x: centre.x - width / 2, y: centre.y - kLabelHeight / 2, width, height: kLabelHeight };
}

// The first candidate that covers nothing; else the one that covers least.
function free_place(candidates: Rect[], taken: Rect[]): Rect {
  let best = candidates[0]!;
  let least = Infinity;
  for (const rect of candidates) {
    const covered = taken.reduce((sum, other) => sum + overlap(rect, other), 0);
    if (covered < least) [best, least] = [rect, covered];
    if (covered === 0) break;
  }
  return best;
}

const kAlong = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];
const kFromBegin = [0.3, 0.38, 0.22, 0.5, 0.6, 0.7, 0.15, 0.78, 0.85]; // of arrows that may cross others: apart from theirs
const kAir = 3; // around a label

function curve(start: Point, end: Point, width: number, taken: Rect[], is_only: boolean): Arrow {
  const pull = (end.x - start.x) * 0.5;
  const at = (t: number): Point => {
    const of = (a: number, b: number, c: number, d: number): number => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
    return { x: of(start.x, start.x + pull, end.x - pull, end.x), y: of(start.y, start.y, end.y, end.y) };
  };
  // Inside of the channel, even where the curve is near a box.
  const [low, high] = [Math.min(start.x, end.x) + width / 2 + 3, Math.max(start.x, end.x) - width / 2 - 3];
  const kept = ({ x, y }: Point): Point => ({ x: Math.min(high, Math.max(low, x)), y });
  return {
    path: `M${start.x},${start.y} C${start.x + pull},${start.y} ${end.x - pull},${end.y} ${end.x},${end.y}`,
    label: free_place((is_only ? kAlong : kFromBegin).map((t) => label_at(kept(at(t)), width)), taken),
  };
}

// Away from the boxes to x, along it, and back.
function bracket(start: Point, end: Point, x: number, width: number, taken: Rect[]): Arrow {
  const out = Math.sign(x - start.x);
  const down = Math.sign(end.y - start.y) || 1;
  const corner = Math.min(kCorner, Math.abs(end.y - start.y) / 2);
  const path = `M${start.x},${start.y} H${x - out * corner} Q${x},${start.y} ${x},${start.y + down * corner} V${end.y - down * corner} Q${x},${end.y} ${x - out * corner},${end.y} H${end.x}`;
  // Beside the boxes, so that it covers none: its inner edge is a little before the line.
  const centre = x + out * (width / 2 - Math.min(10, kLane - 10));
  return { path, label: free_place(kAlong.map((t) => label_at({ x: centre, y: start.y + (end.y - start.y) * t }, width)), taken) };
}

// Out on the right, around below both boxes, and in from the left.
function detour(start: Point, end: Point, right_x: number, bottom: number, left_x: number, width: number, taken: Rect[]): Arrow {
  const c = kCorner;
  const path = `M${start.x},${start.y} H${right_x - c} Q${right_x},${start.y} ${right_x},${start.y + c} V${bottom - c} Q${right_x},${bottom} ${right_x - c},${bottom} H${left_x + c} Q${left_x},${bottom} ${left_x},${bottom - c} V${end.y + c} Q${left_x},${end.y} ${left_x + c},${end.y} H${end.x}`;
  return { path, label: free_place(kAlong.map((t) => label_at({ x: left_x + (right_x - left_x) * t, y: bottom }, width)), taken) };
}

// Of two boxes: the arrows back, where there is one there. In the channel the two would cross as often as not.
function arrows_back(wanted: Wanted[], boxes: number): number[] {
  if (boxes !== 2 || !wanted.some((arrow) => arrow.from === 0 && arrow.to === 1)) return [];
  return wanted.flatMap((arrow, i) => (arrow.from === 1 && arrow.to === 0 ? [i] : []));
}

export function layout(sizes: Size[], wanted: Wanted[], narrow = false): Layout {
  const { left, right } = columns(sizes.length, narrow);
  const is_left = sizes.map((_, place) => left.includes(place));
  const height = Math.max(stacked(left, sizes, kBetween), stacked(right, sizes, kBetween));
  const width_of = (column: number[]): number => Math.max(0, ...column.map((place) => sizes[place]!.width));
  const boxes: Rect[] = [];
  put(left, sizes, boxes, 0, width_of(left), height);
  put(right, sizes, boxes, 0, width_of(right), height);

  const heights = wanted.map((arrow) => ({ from: boxes[arrow.from]!.y + arrow.from_y, to: boxes[arrow.to]!.y + arrow.to_y }));
  const beside = brackets(wanted, heights, is_left, right.length === 0);
  const room = (of_left: boolean, side: Side): number =>
    Math.max(0, ...beside.filter((one) => one.left === of_left && one.side === side).map((one) => (one.lane + 1) * kLane + wanted[one.arrow]!.label));
  const across = Math.max(0, ...wanted.filter((arrow) => is_left[arrow.from] !== is_left[arrow.to]).map((arrow) => arrow.label + 60));
  const channel = right.length === 0 ? room(true, 'inner') : Math.max(kNarrowest, across, room(true, 'inner') + room(false, 'inner') + 16);
  const around = narrow ? [] : arrows_back(wanted, sizes.length);
  const left_x = kMargin + room(true, 'outer') + around.length * kLane;
  const right_x = left_x + width_of(left) + channel;
  for (const place of left) boxes[place]!.x = left_x;
  for (const place of right) boxes[place]!.x = right_x;

  const taken = [...boxes];
  const arrows: Arrow[] = [];
  const done = (i: number, arrow: Arrow): void => {
    arrows[i] = arrow;
    const { x, y, width, height: high } = arrow.label;
    taken.push({ x: x - kAir, y: y - kAir, width: width + 2 * kAir, height: high + 2 * kAir });
  };
  for (const { arrow, left: of_left, side, lane } of beside) {
    const { from, to, label } = wanted[arrow]!;
    const on_right = of_left === (side === 'inner'); // of the box
    const edge = (place: number): number => boxes[place]!.x + (on_right ? boxes[place]!.width : 0);
    const x = edge(from) + (on_right ? 1 : -1) * (lane + 1) * kLane;
    done(arrow, bracket({ x: edge(from), y: heights[arrow]!.from }, { x: edge(to), y: heights[arrow]!.to }, x, label, taken));
  }
  around.forEach((i, lane) => {
    const { from, to, label } = wanted[i]!;
    const [start, end] = [boxes[from]!, boxes[to]!];
    const out = (lane + 1) * kLane;
    done(i, detour({ x: start.x + start.width, y: heights[i]!.from }, { x: end.x, y: heights[i]!.to },
      start.x + start.width + room(false, 'outer') + out, kMargin + height + 8 + lane * (kLabelHeight + 6) + kLabelHeight / 2, end.x - room(true, 'outer') - out, label, taken));
  });
  const is_only = wanted.filter((arrow) => is_left[arrow.from] !== is_left[arrow.to]).length - around.length === 1;
  wanted.forEach(({ from, to, label }, i) => {
    if (is_left[from] === is_left[to] || around.includes(i)) return;
    const inner = (place: number): number => boxes[place]!.x + (is_left[place] ? boxes[place]!.width : 0);
    done(i, curve({ x: inner(from), y: heights[i]!.from }, { x: inner(to), y: heights[i]!.to }, label, taken, is_only));
  });
  const end = right.length === 0 ? left_x + width_of(left) + channel : right_x + width_of(right) + room(false, 'outer') + around.length * kLane;
  const below = around.length * (kLabelHeight + 6) + (around.length > 0 ? 8 : 0);
  return { width: end + kMargin, height: height + 2 * kMargin + below, boxes, arrows };
}
