// plots.ts: series over the time of a run: throughput, latency, aborts, lag.
import type { Plot } from './data';
import { h, s, section } from './dom';
import { round_ticks } from './scale';

// On a telephone letters of the same size need a larger share.
const kWidth = typeof innerWidth !== 'undefined' && innerWidth < 640 ? 420 : 900;
const kHeight = 180;
const kLeft = 64;

function short_number(value: number): string {
  if (Math.abs(value) >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  if (Math.abs(value) >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`;
  return String(+value.toPrecision(3));
}

function draw(plot: Plot): SVGSVGElement {
  const last = Math.max(...plot.at) || 1;
  const high = Math.max(0, ...plot.series.flatMap((line) => line.values.map((value) => value ?? 0))) || 1;
  const x = (second: number): number => kLeft + (second / last) * (kWidth - kLeft - 10);
  const y = (value: number): number => kHeight - 24 - (value / high) * (kHeight - 40);
  const svg = s('svg', { viewBox: `0 0 ${kWidth} ${kHeight}`, class: 'plot', role: 'img',
    'aria-label': `${plot.title}: ${plot.series.map((line) => `${line.name} up to ${short_number(Math.max(0, ...line.values.map((v) => v ?? 0)))} ${line.unit}`).join(', ')}` });
  for (const value of round_ticks(0, high, 3)) {
    svg.append(s('line', { x1: kLeft, x2: kWidth - 10, y1: y(value), y2: y(value), class: 'grid' }),
      s('text', { x: kLeft - 6, y: y(value) + 4, 'text-anchor': 'end' }, short_number(value)));
  }
  for (const time of round_ticks(0, last, kWidth < 600 ? 4 : 6)) {
    svg.append(s('text', { x: x(time), y: kHeight - 6, 'text-anchor': x(time) > kWidth - 40 ? 'end' : 'middle' }, `${short_number(time)} ${plot.unit}`));
  }
  for (const fault of plot.faults ?? []) {
    svg.append(s('g', { class: 'fault' }, s('rect', { x: x(Math.min(fault.from, last)), y: 8, width: Math.max(1.5, x(Math.min(fault.to ?? fault.from, last)) - x(Math.min(fault.from, last))), height: kHeight - 32 }),
      s('title', {}, `fault: ${fault.name}`)));
  }
  plot.series.forEach((line, i) => {
    let path = '';
    line.values.forEach((value, k) => {
      if (value === null) return;
      path += `${path === '' || line.values[k - 1] === null ? 'M' : 'L'}${x(plot.at[k]!).toFixed(1)},${y(value).toFixed(1)}`;
    });
    svg.append(s('path', { d: path, class: `line line-${i}` }, s('title', {}, `${line.name} (${line.unit})`)));
  });
  return svg;
}

// `prefix`: of its name, where the page has others.
export function plots(list: Plot[], prefix = ''): HTMLElement | null {
  if (list.length === 0) return null;
  return section('Over the run', `${prefix}plots`, ...list.map((plot) => h('figure', {},
    h('figcaption', {}, plot.title, ' ', ...plot.series.map((line, i) => h('span', { class: `key-of-line line-${i}` }, `${line.name} (${line.unit})`)),
      plot.faults ? h('span', { class: 'key-of-line of-faults' }, 'faults') : null),
    draw(plot))));
}
