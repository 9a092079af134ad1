// layout.mjs: pictures of many random graphs: no arrow crosses a box, no label covers a box, boxes do not overlap, and all
// is inside of the picture.
//
//   node layout.mjs [COUNT]      the exit status tells
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/graph_layout.ts', import.meta.url));
const code = (await build({ entryPoints: [source], bundle: true, format: 'esm', write: false })).outputFiles[0].text;
const { layout } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);

let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

// Points along a path of M, H, V, Q and C.
function points(path) {
  const out = [];
  let at = { x: 0, y: 0 };
  for (const [, letter, text] of path.matchAll(/([MHVQC])([^MHVQC]*)/g)) {
    const n = text.trim().split(/[\s,]+/).map(Number);
    const start = at;
    const bend = (...stops) => {
      for (let t = 0; t <= 1; t += 1 / 64) {
        let line = [start, ...stops];
        while (line.length > 1) line = line.slice(1).map((b, i) => ({ x: line[i].x + (b.x - line[i].x) * t, y: line[i].y + (b.y - line[i].y) * t }));
        out.push(line[0]);
      }
      at = stops[stops.length - 1];
    };
    if (letter === 'M') at = { x: n[0], y: n[1] };
    if (letter === 'H') bend({ x: n[0], y: at.y });
    if (letter === 'V') bend({ x: at.x, y: n[0] });
    if (letter === 'Q') bend({ x: n[0], y: n[1] }, { x: n[2], y: n[3] });
    if (letter === 'C') bend({ x: n[0], y: n[1] }, { x: n[2], y: n[3] }, { x: n[4], y: n[5] });
  }
  return out;
}

const apart = (a, b) => a.x + a.width <= b.x + 0.01 || b.x + b.width <= a.x + 0.01 || a.y + a.height <= b.y + 0.01 || b.y + b.height <= a.y + 0.01;

let failed = 0;
const count = Number(process.argv[2] ?? 3000);
for (let run = 0; run < count && failed < 5; ++run) {
  const boxes = 1 + random(run % 10 === 0 ? 30 : 7);
  const sizes = Array.from({ length: boxes }, () => ({ width: 80 + random(260), height: 58 + 20 * random(10) }));
  const one = (from, to) => ({ from, to, from_y: 14 + random(sizes[from].height - 20), to_y: 14 + random(sizes[to].height - 20), label: 30 + random(130) });
  const wanted = sizes.map((_, i) => one(i, (i + 1) % boxes));
  for (let more = random(5); more > 0; --more) wanted.push(one(random(boxes), random(boxes)));
  const made = layout(sizes, wanted, run % 4 === 3);
  const fail = (what) => {
    ++failed;
    console.log(`FAILED: run ${run}, ${boxes} boxes, ${wanted.length} arrows: ${what}`);
  };
  const inside = (rect) => rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= made.width + 0.01 && rect.y + rect.height <= made.height + 0.01;
  made.boxes.forEach((box, i) => {
    if (!inside(box)) fail(`box ${i} sticks out`);
    if (made.boxes.slice(0, i).some((other) => !apart(box, other))) fail(`box ${i} covers another`);
  });
  made.arrows.forEach(({ path, label }, i) => {
    if (!inside(label)) fail(`label ${i} sticks out`);
    if (made.boxes.some((box) => !apart(box, label))) fail(`label ${i} covers a box`);
    const crosses = points(path).some(({ x, y }) => made.boxes.some((box) => x > box.x + 0.5 && x < box.x + box.width - 0.5 && y > box.y && y < box.y + box.height));
    if (crosses) fail(`arrow ${i} crosses a box`);
  });
}
// The two arrows of a cycle of two never cross, and neither label stands on the other's arrow.
const side = (a, b, c) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
const cut = (a, b, c, d) => side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
for (let run = 0; run < count / 10 && failed < 5; ++run) {
  const sizes = [0, 1].map(() => ({ width: 80 + random(260), height: 58 + 20 * random(6) }));
  const one = (from, to) => ({ from, to, from_y: 14 + random(sizes[from].height - 20), to_y: 14 + random(sizes[to].height - 20), label: 30 + random(130) });
  const [there, back] = layout(sizes, [one(0, 1), one(1, 0)]).arrows;
  const [a, b] = [points(there.path), points(back.path)];
  const crossed = a.slice(1).some((end, i) => b.slice(1).some((other, k) => cut(a[i], end, b[k], other)));
  const struck = (line, { x, y, width, height }) => line.some((at) => at.x > x && at.x < x + width && at.y > y && at.y < y + height);
  if (crossed || struck(a, back.label) || struck(b, there.label)) {
    ++failed;
    console.log(`FAILED: run ${run}, two boxes: ${crossed ? 'the arrows cross' : "a label stands on the other's arrow"}`);
  }
}
console.log(failed === 0 ? `${count} pictures, all is well` : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
