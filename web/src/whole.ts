// whole.ts: the whole history in time: a lane a session, a bar a transaction; drag to pan, wheel or keys to zoom, point to
// read, search to find. Drawn on a canvas, so that a hundred thousand transactions stay fluent.
import type { Fault, WholeTimeline } from './data';
import { grouped, h, section } from './dom';
import { round_ticks, span_text } from './scale';
import { fault_text } from './timeline';

const kLeft = 110; // for names of lanes
const kAxis = 24;
const kHighest = 18; // lane
const kLowest = 3;
const kMostHeight = 560;
const kFaults = 16; // above the lanes, where there are faults

export interface Bars {
  from: Float64Array;
  to: Float64Array;
  lane: Uint32Array;
  flags: Uint8Array; // 0 to 2: committed, aborted, unknown; +4: of an anomaly
  name: (i: number) => string;
}

export function decode(whole: WholeTimeline): Bars {
  const bytes = Uint8Array.from(atob(whole.bars), (c) => c.charCodeAt(0));
  let at = 0;
  // Beyond 2^31, shifts of numbers would lose what multiplication keeps.
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  const count = whole.count;
  const bars = { from: new Float64Array(count), to: new Float64Array(count), lane: new Uint32Array(count), flags: new Uint8Array(count) };
  const ids = new Float64Array(whole.ids ? 0 : count);
  let before = 0;
  let id = 0;
  for (let i = 0; i < count; ++i) {
    before += varint();
    bars.from[i] = before;
    bars.to[i] = before + varint();
    const word = varint();
    bars.lane[i] = Math.floor(word / 8);
    bars.flags[i] = word % 8;
    if (whole.ids) continue;
    const delta = varint();
    id += delta % 2 === 0 ? delta / 2 : -(delta + 1) / 2;
    ids[i] = id;
  }
  const name = (i: number): string => whole.ids?.[i] ?? (whole.numbered ? `T${ids[i]}` : `the transaction at place ${ids[i]}`);
  return { ...bars, name };
}

function colours(): Record<string, string> {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { good: of('untested'), bad: of('bad'), soft: of('soft'), line: of('line'), ink: of('ink'), card: of('card'), doubt: of('doubt'), mark: of('focus'), fault: of('fault') };
}

// `open`: what to do with a transaction of an anomaly that is clicked.
export function whole_timeline(whole: WholeTimeline, all_faults: Fault[], open: (name: string) => boolean): HTMLElement {
  const bars = decode(whole);
  // Lanes by name, as numbers count.
  const order = whole.lanes.map((_, i) => i).sort((a, b) => whole.lanes[a]!.localeCompare(whole.lanes[b]!, 'en', { numeric: true }));
  const row_of = new Uint32Array(order.length);
  order.forEach((lane, row) => { row_of[lane] = row; });
  bars.lane.forEach((lane, i) => { bars.lane[i] = row_of[lane]!; });
  const lanes = order.map((lane) => whole.lanes[lane]!);
  const end = bars.to.reduce((most, one) => Math.max(most, one), 1);
  const lane_height = Math.max(kLowest, Math.min(kHighest, Math.floor(kMostHeight / Math.max(1, lanes.length))));
  // Faults are on the clients' clock; here in ticks of the picture.
  const in_ticks = (time: number): number => (time - Number(whole.low)) / whole.tick;
  const faults = whole.clock !== 'client' ? [] : all_faults.map((fault) => ({ fault, from: in_ticks(fault.from), to: in_ticks(fault.to ?? fault.from) })).sort((a, b) => a.from - b.from);
  const top = faults.length > 0 ? kFaults : 0;
  const height = top + lanes.length * lane_height + kAxis + 4;
  const canvas = h('canvas', { tabindex: 0, class: 'whole', role: 'img',
    'aria-label': `${grouped(whole.of)} transactions of ${grouped(lanes.length)} sessions over time. Arrow keys pan, plus and minus zoom, 0 shows all.` });
  const frame = h('div', { class: 'whole-frame' }, canvas);
  const says = h('p', { class: 'hint says', 'aria-live': 'polite' }, '');
  let [low, high] = [0, end];
  let pointed = -1;
  let pointed_fault = -1;
  let found = -1;
  let width = 0;
  let asked = false;

  const x_of = (time: number): number => kLeft + ((time - low) / (high - low)) * (width - kLeft - 6);
  const time_of = (x: number): number => low + ((x - kLeft) / (width - kLeft - 6)) * (high - low);
  const clock_text = (ticks: number): string => (whole.clock === 'place' ? `place ${Math.round(ticks * whole.tick)}` : span_text(ticks * whole.tick, whole.unit));
  const told = (i: number): string => {
    const status = ['committed', 'aborted', 'unknown'][bars.flags[i]! & 3]!;
    const from = whole.clock === 'place' ? clock_text(bars.from[i]!) : `${clock_text(bars.from[i]!)} after the first, for ${clock_text(bars.to[i]! - bars.from[i]!)}`;
    return `${bars.name(i)}, session ${lanes[bars.lane[i]!] ?? ''}, ${status}: ${from}${bars.flags[i]! >= 4 ? '; part of an anomaly, click to see it' : ''}`;
  };
  const words = (): string => (pointed_fault >= 0 ? `${fault_text(faults[pointed_fault]!.fault, whole.unit)}, ${clock_text(faults[pointed_fault]!.from)} after the first transaction began`
    : pointed >= 0 ? told(pointed) : found >= 0 ? told(found)
    : 'Drag to pan, turn the wheel with Ctrl to zoom (or + and −), point at a bar to read it.');

  // The longest bar bounds how far before the window a bar that reaches into it may begin.
  const longest = bars.from.reduce((most, from, i) => Math.max(most, bars.to[i]! - from), 0);
  const first_from = (time: number): number => {
    let [a, b] = [0, bars.from.length];
    while (a < b) {
      const middle = (a + b) >> 1;
      if (bars.from[middle]! < time) a = middle + 1;
      else b = middle;
    }
    return a;
  };

  function draw(): void {
    asked = false;
    const shade = colours();
    const scale = devicePixelRatio || 1;
    width = frame.clientWidth || 900;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.scale(scale, scale);
    context.font = '12px ui-monospace, monospace';
    context.strokeStyle = shade['line']!;
    for (const tick of round_ticks(low * whole.tick, high * whole.tick, Math.max(2, Math.floor(width / 140)))) {
      const x = x_of(tick / whole.tick);
      if (x < kLeft || x > width - 6) continue;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height - kAxis);
      context.stroke();
      context.fillStyle = shade['soft']!;
      const text = whole.clock === 'place' ? String(tick) : span_text(tick, whole.unit);
      context.fillText(text, Math.min(x - 4, width - context.measureText(text).width - 4), height - 8);
    }
    context.save();
    context.beginPath();
    context.rect(kLeft, 0, width - kLeft, height);
    context.clip();
    let free = -Infinity;
    faults.forEach(({ fault, from, to }, i) => {
      if (to < low || from > high) return;
      const [left, right] = [x_of(from), Math.max(x_of(from) + 1.5, x_of(to))];
      context.fillStyle = shade['fault']!;
      context.globalAlpha = i === pointed_fault ? 0.6 : 0.28;
      context.fillRect(left, 0, right - left, height - kAxis);
      context.globalAlpha = 1;
      const at = Math.max(kLeft + 2, left + 2);
      if (at < free) return;
      free = at + context.measureText(fault.name).width + 8;
      context.fillText(fault.name, at, 12);
    });
    context.translate(0, top);
    const thick = Math.max(2, lane_height - 3);
    // Bars that cover the same pixel of a lane are drawn once; those of anomalies last, over the others.
    const drawn_to = new Float64Array(lanes.length).fill(-1);
    const late: number[] = [];
    const fill = [shade['good']!, shade['soft']!, shade['doubt']!];
    for (let i = first_from(low - longest); i < bars.from.length && bars.from[i]! <= high; ++i) {
      if (bars.to[i]! < low) continue;
      if (bars.flags[i]! >= 4) {
        late.push(i);
        continue;
      }
      const x = x_of(bars.from[i]!);
      const to = Math.max(x + 1, x_of(bars.to[i]!) - 0.5);
      const lane = bars.lane[i]!;
      if (to <= drawn_to[lane]! + 0.5) continue;
      drawn_to[lane] = to;
      context.fillStyle = fill[bars.flags[i]! & 3]!;
      context.fillRect(x, lane * lane_height + 2, to - x, thick);
    }
    context.fillStyle = shade['bad']!;
    for (const i of late) {
      const x = x_of(bars.from[i]!);
      context.fillRect(x, bars.lane[i]! * lane_height + 1, Math.max(2.5, x_of(bars.to[i]!) - x), thick + 2);
    }
    context.strokeStyle = shade['ink']!;
    context.lineWidth = 2;
    for (const i of [found, pointed]) {
      if (i < 0) continue;
      const x = x_of(bars.from[i]!);
      context.strokeRect(x - 2, bars.lane[i]! * lane_height, Math.max(4, x_of(bars.to[i]!) - x + 4), thick + 4);
    }
    context.restore();
    context.fillStyle = shade['soft']!;
    const step = Math.ceil(13 / lane_height);
    lanes.forEach((lane, i) => {
      if (i % step === 0) context.fillText(lane.length > 13 ? `${lane.slice(0, 12)}…` : lane, 4, top + (i + 0.5) * lane_height + 5);
    });
    says.textContent = words();
  }
  const redraw = (): void => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(draw);
  };

  function window_to(from: number, to: number): void {
    const least = Math.max(4 / Math.max(1, whole.tick), end / 1e9, 1e-3);
    const size = Math.min(end * 1.02, Math.max(least, to - from));
    low = Math.max(-end * 0.01, Math.min(from, end * 1.01 - size));
    high = low + size;
    redraw();
  }
  function zoom(factor: number, x = kLeft + (width - kLeft) / 2): void {
    const at = time_of(x);
    window_to(at - (at - low) * factor, at + (high - at) * factor);
  }
  const pan = (share: number): void => window_to(low + share * (high - low), high + share * (high - low));

  function bar_at(x: number, y: number): number {
    const lane = Math.floor((y - top) / lane_height);
    const [near, time] = [((high - low) / Math.max(1, width - kLeft)) * 3, time_of(x)];
    let best = -1;
    for (let i = first_from(time - longest - near); i < bars.from.length && bars.from[i]! <= time + near; ++i) {
      if (bars.lane[i] === lane && bars.to[i]! >= time - near && (best < 0 || bars.flags[i]! >= 4 || bars.flags[best]! < 4)) best = i;
    }
    return best;
  }

  let dragged: { x: number; low: number; high: number; moved: boolean } | null = null;
  canvas.addEventListener('pointerdown', (event) => {
    dragged = { x: event.offsetX, low, high, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (dragged) {
      const by = ((dragged.x - event.offsetX) / Math.max(1, width - kLeft)) * (dragged.high - dragged.low);
      dragged.moved ||= Math.abs(dragged.x - event.offsetX) > 3;
      window_to(dragged.low + by, dragged.high + by);
      return;
    }
    pointed = bar_at(event.offsetX, event.offsetY);
    // Bars lie over faults; beside them, and above the lanes, faults are read.
    const near = ((high - low) / Math.max(1, width - kLeft)) * 4;
    const time = time_of(event.offsetX);
    pointed_fault = pointed >= 0 ? -1 : faults.findIndex(({ from, to }) => time >= from - near && time <= to + near);
    canvas.style.cursor = pointed >= 0 && bars.flags[pointed]! >= 4 ? 'pointer' : 'grab';
    redraw();
  });
  canvas.addEventListener('pointerup', (event) => {
    const clicked = dragged && !dragged.moved ? bar_at(event.offsetX, event.offsetY) : -1;
    dragged = null;
    if (clicked >= 0 && bars.flags[clicked]! >= 4) open(bars.name(clicked));
  });
  canvas.addEventListener('pointerleave', () => { pointed = pointed_fault = -1; redraw(); });
  // Without Ctrl the wheel scrolls the page, as everywhere.
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) pan(Math.sign(event.deltaY || event.deltaX) * 0.15);
    else zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, event.offsetX);
  }, { passive: false });
  const actions: Record<string, () => void> = {
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), '+': () => zoom(1 / 1.6), '=': () => zoom(1 / 1.6), '-': () => zoom(1.6), '0': () => window_to(0, end),
  };
  canvas.addEventListener('keydown', (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys go from anomaly to anomaly
    action();
  });

  let matches: number[] = [];
  let shown = 0;
  const search = h('input', { type: 'search', placeholder: 'T123, or session 4', 'aria-label': 'Find a transaction or a session', autocomplete: 'off' });
  const told_matches = h('span', { class: 'hint', 'aria-live': 'polite' });
  function show_match(): void {
    found = matches[shown] ?? -1;
    told_matches.textContent = matches.length === 0 ? (search.value === '' ? '' : 'not found') : `${shown + 1} of ${grouped(matches.length)}`;
    if (found < 0) return redraw();
    const size = Math.min(high - low, Math.max((bars.to[found]! - bars.from[found]!) * 20, end / 200));
    window_to(bars.from[found]! - size / 2, bars.from[found]! + size / 2);
  }
  function find(): void {
    const text = search.value.trim().toLowerCase();
    const session = text.match(/^session\s+(.+)$/)?.[1];
    matches = [];
    for (let i = 0; text !== '' && i < bars.from.length && matches.length < 10_000; ++i) {
      const name = session === undefined ? bars.name(i).toLowerCase() : (lanes[bars.lane[i]!] ?? '').toLowerCase();
      if (name === (session ?? text) || (session === undefined && name === `t${text}`)) matches.push(i);
    }
    shown = 0;
    show_match();
  }
  search.addEventListener('change', find);
  search.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (matches.length > 0 && found === matches[shown]) {
      shown = (shown + 1) % matches.length;
      show_match();
    } else find();
  });

  const button = (words: string, label: string, action: () => void): HTMLElement => h('button', { type: 'button', 'aria-label': label, click: action }, words);
  const marked: number[] = [];
  for (let i = 0; i < bars.flags.length; ++i) if (bars.flags[i]! >= 4) marked.push(i);
  let next_marked = -1;
  const to_next = (): void => {
    next_marked = (next_marked + 1) % marked.length;
    found = marked[next_marked]!;
    const size = Math.max((bars.to[found]! - bars.from[found]!) * 20, end / 200);
    window_to(bars.from[found]! - size / 2, bars.from[found]! + size / 2);
  };
  const bar = h('div', { class: 'choices whole-tools' },
    button('+', 'zoom in', () => zoom(1 / 1.6)), button('−', 'zoom out', () => zoom(1.6)), button('←', 'earlier', () => pan(-0.3)), button('→', 'later', () => pan(0.3)),
    button('all', 'show all', () => window_to(0, end)),
    marked.length > 0 ? button('go to an anomaly', 'go to one transaction after another that is part of an anomaly', to_next) : null, search, told_matches);
  const kClocks = { client: 'by the clients\' clock', database: "by the database's timestamps", place: 'by their places in the file: no times are known' };
  const share = whole.count < whole.of ? `; of ${grouped(whole.of)} transactions, ${grouped(whole.count)} are drawn: those of anomalies, and an even share of the others` : '';
  addEventListener('resize', redraw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  // In a folded section it has no width until that is opened.
  new ResizeObserver(redraw).observe(frame);
  redraw();
  return section('The whole history', 'whole', h('p', { class: 'legend' },
    `Each lane is a session, each bar a transaction, ${kClocks[whole.clock]}${share}. Blue: committed. Grey: aborted. Red: part of an anomaly. Brown: of unknown outcome.${faults.length > 0 ? ` Violet, over all lanes: a fault, ${grouped(faults.length)} in all: what was done to the system.` : ''}`), bar, frame, says);
}
