// timeline.ts: the same anomaly over time: a lane a session, a bar a transaction, marks for reads and writes, arrows for
// the dependencies.
import type { Anomaly, Fault, Transaction } from './data';
import { ends, h, replace, s } from './dom';
import { round_ticks, span_text, time_scale, type TimeScale } from './scale';

type Clock = 'client' | 'database' | 'order';

const kLane = 54;
const kBar = 22;
// On a telephone the same letters need a larger share of the picture.
const kNarrow = innerWidth < 640;
const kLeft = kNarrow ? 84 : 120;
const kWidth = kNarrow ? 300 : 940;
const kMostOfALane = kNarrow ? 10 : 15; // letters
const kMostLanes = 10;
const kLetter = 7.3;
const kFaultName = 18; // above the lanes, where there are faults

interface Bar {
  place: number;
  from: number;
  to: number;
}

function bars_by(clock: Clock, places: number[], transactions: Transaction[]): Bar[] {
  const bars: Bar[] = [];
  places.forEach((place, i) => {
    const t = transactions[place]!;
    if (clock === 'order') bars.push({ place, from: i, to: i + 0.8 });
    else {
      const from = clock === 'client' ? t.begin : t.start_ts ?? t.commit_ts;
      const to = clock === 'client' ? t.end : t.commit_ts ?? t.start_ts;
      if (from !== undefined && to !== undefined) bars.push({ place, from, to });
    }
  });
  return bars;
}

function clocks_of(places: number[], transactions: Transaction[]): Clock[] {
  const have = (test: (t: Transaction) => boolean): boolean => places.every((place) => test(transactions[place]!));
  const clocks: Clock[] = [];
  if (have((t) => t.begin !== undefined && t.end !== undefined)) clocks.push('client');
  if (have((t) => t.start_ts !== undefined || t.commit_ts !== undefined)) clocks.push('database');
  return clocks.length > 0 ? clocks : ['order'];
}

const kClockNames: Record<Clock, string> = {
  client: 'client clock',
  database: 'database timestamps',
  order: 'no times are known: in the order of the cycle',
};

// Marks on the axis: round numbers, or where each burst begins if waits between them are short.
function axis(scale: TimeScale, low: number, high: number, unit: 'ns' | '', x_of: (time: number) => number, y: number): SVGElement[] {
  const marks = scale.waits.length > 0 ? scale.bursts : round_ticks(0, high - low, kNarrow ? 3 : 6).map((tick) => low + tick);
  let free = -Infinity;
  const texts = marks.flatMap((mark) => {
    const words = unit === '' ? span_text(scale.waits.length > 0 ? mark : mark - low, '') : span_text(mark - low, unit);
    const x = Math.min(x_of(mark), kLeft + kWidth - 8 - (words.length * kLetter) / 2);
    if (x - (words.length * kLetter) / 2 < free) return [];
    free = x + (words.length * kLetter) / 2 + 10;
    return [s('line', { x1: x_of(mark), x2: x_of(mark), y1: y - 14, y2: y - 8, class: 'tick' }), s('text', { x, y: y + 4, 'text-anchor': 'middle', class: 'axis' }, words)];
  });
  const waits = scale.waits.map(({ from, to }) => s('rect', { x: x_of(from), y: 0, width: x_of(to) - x_of(from), height: y - 14, class: 'wait' },
    s('title', {}, `shortened: ${span_text(to - from, unit)} in which none of these transactions was running`)));
  return [...waits, ...texts];
}

// What was done to the system meanwhile: bands over all lanes, each with its name where there is room.
function fault_marks(faults: Fault[], low: number, high: number, x_of: (time: number) => number, height: number, unit: 'ns' | ''): SVGElement[] {
  const right = kLeft + kWidth - 8;
  const inside = (x: number): number => Math.max(kLeft, Math.min(right, x));
  let free = -Infinity;
  return [...faults].sort((a, b) => a.from - b.from).map((fault) => {
    const from = inside(x_of(Math.max(low, fault.from)));
    const to = Math.max(from + 2, inside(x_of(Math.min(high, fault.to ?? fault.from))));
    const width = fault.name.length * kLetter;
    const at = Math.min(from, right - width);
    const named = at > free;
    if (named) free = at + width + 8;
    return s('g', { class: 'fault' }, s('rect', { x: from, y: kFaultName, width: to - from, height: height - kFaultName }),
      named ? s('text', { x: at, y: kFaultName - 5 }, fault.name) : null, s('title', {}, fault_text(fault, unit)));
  });
}

export function fault_text(fault: Fault, unit: 'ns' | ''): string {
  const took = fault.to === undefined ? '' : `, for ${span_text(fault.to - fault.from, unit)}`;
  return `fault: ${fault.name}${fault.detail ? ` (${fault.detail})` : ''}${took}`;
}

function draw(clock: Clock, anomaly: Anomaly, transactions: Transaction[], around: number[], unit: 'ns' | '', all_faults: Fault[]): SVGSVGElement {
  const bars = bars_by(clock, [...anomaly.transactions, ...(clock === 'order' ? [] : around)], transactions);
  const inside = new Set(anomaly.transactions);
  const own = bars.filter((bar) => inside.has(bar.place));
  const low = Math.min(...own.map((bar) => bar.from));
  const high = Math.max(...own.map((bar) => bar.to));
  const span = high - low || 1;
  const scale = time_scale(own);
  const x_of = (time: number): number => kLeft + 14 + scale.x(time) * (kWidth - 40);
  const in_time = bars.filter((bar) => bar.to >= low - span * 0.02 && bar.from <= high + span * 0.02);
  const lane_of = (t: Transaction): string => (t.session === '' ? t.id : /^\d+$/.test(t.session) ? `session ${t.session}` : t.session);
  // Of many sessions those of the anomaly, and as many others as leave the picture in sight.
  const own_lanes = new Set(own.map((bar) => lane_of(transactions[bar.place]!)));
  const others = [...new Set(in_time.map((bar) => lane_of(transactions[bar.place]!)))].filter((lane) => !own_lanes.has(lane));
  const kept = new Set([...own_lanes, ...others.slice(0, Math.max(0, kMostLanes - own_lanes.size))]);
  const shown = in_time.filter((bar) => kept.has(lane_of(transactions[bar.place]!)));
  const lanes = [...new Set(shown.map((bar) => lane_of(transactions[bar.place]!)))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const faults = faults_near(clock, all_faults, low, high);
  const top = faults.length > 0 ? kFaultName : 0;
  const height = lanes.length * kLane + 40 + top;
  const svg = s('svg', { viewBox: `0 0 ${kLeft + kWidth} ${height}`, class: 'timeline', role: 'img', 'aria-label': `Timeline by ${kClockNames[clock]}` });
  svg.append(s('defs', {}, s('pattern', { id: 'hatched', width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    s('line', { x1: 0, x2: 0, y1: 0, y2: 7, class: 'hatch' }))));
  if (clock !== 'order') svg.append(...axis(scale, low, high, clock === 'client' ? unit : '', x_of, height - 14));
  svg.append(...fault_marks(faults, low, high, x_of, height - 28, unit));
  const lane_y = (i: number): number => top + (i + 0.5) * kLane + 4;
  lanes.forEach((lane, i) => {
    svg.append(
      s('line', { x1: kLeft, x2: kLeft + kWidth - 10, y1: lane_y(i), y2: lane_y(i), class: 'lane' }),
      s('text', { x: kLeft - 10, y: lane_y(i) + 4, 'text-anchor': 'end', class: 'lane-name' }, ends(lane, kMostOfALane)));
  });
  const named = new Map<number, number>(); // by lane: where its last name ends
  const spot = new Map<string, { x: number; y: number }>();
  for (const bar of [...shown].sort((a, b) => Number(inside.has(a.place)) - Number(inside.has(b.place)) || a.from - b.from)) {
    const t = transactions[bar.place]!;
    const y = lane_y(lanes.indexOf(lane_of(t))) - kBar / 2;
    const left = Math.max(kLeft, x_of(bar.from));
    const right = Math.min(kLeft + kWidth - 8, Math.max(left + 18, x_of(bar.to)));
    const group = s('g', { class: `bar ${t.status}${inside.has(bar.place) ? '' : ' around'}` },
      s('rect', { x: left, y, width: right - left, height: kBar, rx: 6 }),
      s('title', {}, `${t.id}: ${t.ops.map((op) => op.text).join(', ')}`));
    if (inside.has(bar.place)) {
      const name = ends(t.id, 24);
      const at = Math.min(left, kLeft + kWidth - 8 - name.length * kLetter);
      // Names of two that are near each other: one above, one below.
      const taken = named.get(y) ?? -1;
      const below = at < taken;
      if (!below) named.set(y, at + name.length * kLetter + 6);
      group.append(s('text', { x: at, y: below ? y + kBar + 12 : y - 5, class: 'bar-name' }, name));
      t.ops.forEach((op, i) => {
        const at = { x: left + ((i + 1) * (right - left)) / (t.ops.length + 1), y: y + kBar / 2 };
        spot.set(`${bar.place}/${i}`, at);
        group.append(s('g', {},
          op.kind === 'r' || op.kind === 'p'
            ? s('circle', { cx: at.x, cy: at.y, r: 4.5, class: 'read' })
            : s('rect', { x: at.x - 4.5, y: at.y - 4.5, width: 9, height: 9, class: 'write' }),
          s('title', {}, op.text)));
      });
      spot.set(`${bar.place}/`, { x: (left + right) / 2, y: y + kBar / 2 });
    }
    svg.append(group);
  }
  for (const step of anomaly.steps) {
    const from = spot.get(`${step.from}/${step.from_op ?? ''}`) ?? spot.get(`${step.from}/`);
    const to = spot.get(`${step.to}/${step.to_op ?? ''}`) ?? spot.get(`${step.to}/`);
    if (!from || !to || (step.from === step.to && (step.from_op === undefined || step.to_op === undefined))) continue;
    const kind = ['ww', 'wr', 'rw'].includes(step.type) ? step.type : 'other';
    const bend = from.y === to.y ? -34 : 0;
    svg.append(s('path', {
      d: `M${from.x},${from.y} Q${(from.x + to.x) / 2},${(from.y + to.y) / 2 + bend} ${to.x},${to.y}`,
      class: `arrow-line ${kind}`, 'marker-end': `url(#tip-${kind})`,
    }, s('title', {}, step.text)));
  }
  return svg;
}

// Those during the anomaly, or a little before or after.
function faults_near(clock: Clock, faults: Fault[], low: number, high: number): Fault[] {
  const some = (high - low) * 0.02;
  return clock === 'client' ? faults.filter((fault) => fault.from <= high + some && (fault.to ?? fault.from) >= low - some) : [];
}

function caption(clock: Clock, anomaly: Anomaly, transactions: Transaction[], unit: 'ns' | ''): string {
  if (clock === 'order') return kClockNames.order;
  const own = bars_by(clock, anomaly.transactions, transactions);
  const low = Math.min(...own.map((bar) => bar.from));
  const waits = time_scale(own).waits.length > 0;
  const counted = clock === 'client' && unit !== '' ? ', from the begin of the first' : waits ? '' : `, from ${low}`;
  return `${kClockNames[clock]}${counted}${waits ? '; where it is hatched, time is shortened' : ''}`;
}

export function timeline(anomaly: Anomaly, transactions: Transaction[], unit: 'ns' | '', faults: Fault[] = []): HTMLElement {
  const clocks = clocks_of(anomaly.transactions, transactions);
  const around = transactions.flatMap((t, place) => (t.around ? [place] : []));
  const picture = h('div', { class: 'scroll' });
  const below = h('p', { class: 'legend' });
  const buttons = clocks.map((clock) =>
    h('button', { type: 'button', 'aria-pressed': 'false', click: () => show(clock) }, kClockNames[clock]));
  function show(clock: Clock): void {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(clocks[i] === clock)));
    const svg = draw(clock, anomaly, transactions, around, unit, faults);
    replace(picture, svg);
    const kinds = svg.querySelector('.fault') ? '  ▮ fault: what was done to the system' : '';
    below.textContent = `○ read  ■ write, evenly spread over the transaction${kinds} · ${caption(clock, anomaly, transactions, unit)}`;
  }
  show(clocks[0]!);
  return h('div', {}, clocks.length > 1 ? h('div', { class: 'choices', role: 'group', 'aria-label': 'Clock' }, ...buttons) : null, picture, below);
}
