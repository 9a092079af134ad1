// scale.ts: axes: round numbers to mark them with, and a scale of time that makes long waits short.

// Round numbers from low to high, about `count` of them.
export function round_ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw * 0.999)!;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(+(i * step).toPrecision(12));
  return ticks;
}

const kUnits = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]] as const;

// A span of the clock in words: with its unit where it is known.
export function span_text(span: number, clock: 'ns' | ''): string {
  if (clock === '' || span === 0) return String(+span.toPrecision(6));
  const [unit, size] = kUnits.find(([, one]) => Math.abs(span) >= one) ?? kUnits[3];
  return `${+(span / size).toPrecision(3)} ${unit}`;
}

export interface TimeScale {
  x(time: number): number; // from 0 to 1
  waits: { from: number; to: number }[]; // that are shorter than they were
  bursts: number[]; // where what is not shortened begins
}

const kWait = 0.06; // the most that a wait takes, as a part of what lies between the waits
const kLeast = 0.02; // the least that a span between two events takes

// A scale for intervals, in which times when none of them was going on are short, and no interval disappears.
export function time_scale(intervals: { from: number; to: number }[]): TimeScale {
  const times = [...new Set(intervals.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const spans = times.slice(1).map((to, i) => ({ from: times[i]!, to, going_on: intervals.some((one) => one.from < to && one.to > times[i]!) }));
  const busy = spans.reduce((sum, span) => sum + (span.going_on ? span.to - span.from : 0), 0) || 1;
  const waits: TimeScale['waits'] = [];
  const bursts = times.slice(0, 1);
  const places = [0];
  for (const span of spans) {
    const is_long = !span.going_on && span.to - span.from > kWait * busy;
    if (is_long) {
      waits.push({ from: span.from, to: span.to });
      bursts.push(span.to);
    }
    places.push(places[places.length - 1]! + (is_long ? kWait * busy : Math.max(span.to - span.from, kLeast * busy)));
  }
  const all = places[places.length - 1]! || 1;
  return {
    waits,
    bursts,
    x(time) {
      if (times.length < 2) return 0;
      const after = times.findIndex((one) => one >= time);
      if (after === 0) return (time - times[0]!) / all;
      if (after < 0) return 1 + (time - times[times.length - 1]!) / all;
      const part = (time - times[after - 1]!) / (times[after]! - times[after - 1]!);
      return (places[after - 1]! + part * (places[after]! - places[after - 1]!)) / all;
    },
  };
}
