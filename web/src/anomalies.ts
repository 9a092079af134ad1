// anomalies.ts: one anomaly at a time: filter, next and previous, the cycle, the timeline, the versions, the words.
import { cycle_graph, label } from './cycle_graph';
import type { Anomaly, CheckPage, KeyVersions, Transaction } from './data';
import { breakable, grouped, h, replace, section, shortened } from './dom';
import { timeline } from './timeline';

const kMostVersions = 12;

type Version = KeyVersions['versions'][number];

function readers_of(version: Version, inside: Set<number>): number[] {
  return (version.read_by ?? []).filter((place) => inside.has(place) && place !== version.by);
}

// Those that the anomaly's transactions wrote or read, and what was there before and after each.
function near_versions(key: KeyVersions, inside: Set<number>): Version[] {
  const own = key.versions.filter((version) => (version.by !== undefined && inside.has(version.by)) || readers_of(version, inside).length > 0).map((version) => version.place);
  return key.versions.filter((version) => own.some((place) => Math.abs(place - version.place) <= 1)).slice(0, kMostVersions);
}

function versions(keys: KeyVersions[], inside: Set<number>, transactions: Transaction[]): HTMLElement | null {
  const shown = keys.filter((key) => near_versions(key, inside).length > 0);
  if (shown.length === 0) return null;
  const orders = [...new Set(shown.map((key) => key.order))];
  return h('div', { class: 'versions' }, h('h3', {}, `Versions of the keys, ${orders.length === 1 ? orders[0] : 'in their order'}`),
    ...shown.map((key) => {
      const near = near_versions(key, inside);
      return h('div', { class: 'key' },
        h('div', { class: 'key-name', title: `${key.key}, ${key.order}` }, ...breakable(shortened(key.key, 40)),
          key.count > near.length ? h('small', {}, `${grouped(key.count)} in all`) : null),
        h('ol', {}, ...near.map((version, i) => {
          const guilty = version.by !== undefined && inside.has(version.by);
          const readers = readers_of(version, inside);
          const apart = i > 0 && near[i - 1]!.place + 1 < version.place;
          return h('li', { class: `${guilty ? 'guilty' : ''}${apart ? ' apart' : ''}` },
            h('code', { title: version.value }, shortened(version.value, 24)), h('small', { title: version.writer }, shortened(version.writer, 28)),
            readers.length === 0 ? null : h('small', {}, `read by ${readers.map((place) => shortened(transactions[place]!.id, 28)).join(', ')}`));
        })));
    }));
}

function steps_list(anomaly: Anomaly, on_select: (step: number) => void): { element: HTMLElement; select(step: number | null): void } {
  const items = anomaly.steps.map((step, i) =>
    h('li', {}, h('button', { type: 'button', class: 'step', 'aria-pressed': 'false', click: () => on_select(i) },
      h('span', { class: `kind ${step.type}` }, step.type), ` ${step.text}`)));
  return {
    element: h('ol', { class: 'steps' }, ...items),
    select(chosen) {
      items.forEach((item, i) => item.firstElementChild!.setAttribute('aria-pressed', String(i === chosen)));
    },
  };
}

// What justifies the dependency: both operations, in words.
function evidence(anomaly: Anomaly, step: number, transactions: Transaction[]): HTMLElement {
  const { from, to, from_op, to_op, text } = anomaly.steps[step]!;
  const line = (place: number, op: number | undefined): HTMLElement => {
    const transaction = transactions[place]!;
    return h('li', {}, h('b', {}, label(transaction)), ': ', op === undefined ? 'the transaction as a whole' : h('code', {}, transaction.ops[op]?.text ?? ''));
  };
  return h('div', { class: 'evidence' }, h('p', {}, text), h('ul', {}, line(from, from_op), line(to, to_op)));
}

// A refutation without one cycle: whichever way it is chosen, a cycle closes.
function cases(anomaly: Anomaly): HTMLElement | null {
  if (!anomaly.cases) return null;
  return h('ul', { class: 'cases' }, ...anomaly.cases.map((line) => h('li', { style: `margin-left: ${line.depth * 22}px` }, line.text,
    line.steps ? h('ol', {}, ...line.steps.map((step) => h('li', {}, h('span', { class: `kind ${step.type}` }, step.type), ` ${step.text}`))) : null)));
}

const kMostInOnePicture = 12;

// The steps of the picture: of a proof by a few cases, those of all its cycles.
function drawn_steps(anomaly: Anomaly): Anomaly['steps'] {
  if (anomaly.steps.length > 0 || !anomaly.cases) return anomaly.steps;
  const all = new Map(anomaly.cases.flatMap((line) => line.steps ?? []).map((step) => [`${step.from} ${step.to} ${step.type} ${step.key}`, step]));
  return all.size <= kMostInOnePicture ? [...all.values()] : [];
}

function show_anomaly(page: CheckPage, anomaly: Anomaly): HTMLElement {
  const inside = new Set(anomaly.transactions);
  const detail = h('div', { 'aria-live': 'polite' });
  const drawn = { ...anomaly, steps: drawn_steps(anomaly) };
  let chosen: number | null = null;
  const select = (step: number): void => {
    chosen = chosen === step ? null : step;
    graph.select(chosen);
    list.select(chosen);
    replace(detail, chosen === null ? null : evidence(drawn, chosen, page.transactions));
  };
  const graph = cycle_graph(drawn, page.transactions, select);
  const list = steps_list(anomaly, select);
  return h('article', { class: 'anomaly' },
    h('div', { class: 'title-of-anomaly' }, h('h3', {}, anomaly.name), copy_button(as_text(page, anomaly))),
    h('p', { class: 'meaning' }, anomaly.meaning),
    anomaly.transactions.length > 0 ? h('div', { class: 'scroll picture' }, graph.element) : null,
    drawn.steps.length > 0 ? h('p', { class: 'hint' }, `${anomaly.steps.length === 0 ? 'The cycles of all cases, in one picture. ' : ''}Click an arrow to see the operations behind it.`) : null,
    detail,
    list.element,
    anomaly.text ? h('p', { class: 'lines' }, anomaly.text) : null,
    h('p', { class: 'contradiction' }, anomaly.contradiction),
    cases(anomaly),
    anomaly.transactions.length > 0 ? h('h3', {}, 'Over time') : null,
    anomaly.transactions.length > 0 ? timeline(drawn, page.transactions, page.clock, page.faults) : null,
    versions(anomaly.keys.map((key) => page.keys[key]!), inside, page.transactions));
}

// The anomaly for a ticket or a mail.
function as_text(page: CheckPage, anomaly: Anomaly): string {
  const members = anomaly.transactions.map((place) => {
    const transaction = page.transactions[place]!;
    return `${label(transaction)}: ${transaction.ops.map((op) => op.text).join(', ')}`;
  });
  const told = anomaly.steps.map((step, i) => `${i + 1}. ${step.text} [${step.type}]`);
  const all_cases = (anomaly.cases ?? []).flatMap((line) => [`${'  '.repeat(line.depth)}${line.text}`, ...(line.steps ?? []).map((step, i) => `${'  '.repeat(line.depth + 1)}${i + 1}. ${step.text} [${step.type}]`)]);
  return [page.summary, `${anomaly.name}: ${anomaly.meaning}`, '', ...members, '', ...told, ...(anomaly.text ? [anomaly.text] : []), anomaly.contradiction, ...all_cases].join('\n') + '\n';
}

// Where a page may not use the clipboard, the text is shown, chosen, to be copied by hand.
function copy_button(text: string): HTMLElement {
  const button: HTMLButtonElement = h('button', { type: 'button', class: 'copy', click: () => {
    const by_hand = (): void => {
      const area = h('textarea', { rows: 8, 'aria-label': 'The anomaly as text', readonly: true }, text);
      button.replaceWith(area);
      area.select();
    };
    if (!navigator.clipboard) return by_hand();
    navigator.clipboard.writeText(text).then(() => { button.textContent = 'copied'; }, by_hand);
  } }, 'copy as text');
  return button;
}

interface Filter {
  kind: string;
  key: string;
  session: string;
  transaction: string;
}

function passes(filter: Filter, page: CheckPage, anomaly: Anomaly): boolean {
  const members = anomaly.transactions.map((place) => page.transactions[place]!);
  const has = (part: string, texts: string[]): boolean => part === '' || texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
  return (filter.kind === '' || anomaly.name === filter.kind)
    && has(filter.key, [...anomaly.keys.map((key) => page.keys[key]!.key), ...anomaly.steps.map((step) => step.key ?? '')])
    && has(filter.session, members.map((t) => t.session))
    && has(filter.transaction, members.map((t) => t.id));
}

export function anomalies(page: CheckPage): HTMLElement | null {
  if (page.anomalies.length === 0) return null;
  const filter: Filter = { kind: '', key: '', session: '', transaction: '' };
  const kinds = [...new Set(page.anomalies.map((anomaly) => anomaly.name))];
  const place = h('span', { class: 'place', role: 'status' });
  const body = h('div', {});
  let chosen: Anomaly[] = page.anomalies;
  // A link may name one: page.html#anomaly-7.
  const named = (): number => Math.min(Math.max(Number(/^#anomaly-(\d+)$/.exec(location.hash)?.[1] ?? 1), 1), page.anomalies.length) - 1;
  let at = named();

  const show = (): void => {
    const anomaly = chosen[at];
    place.textContent = anomaly
      ? `${at + 1} of ${grouped(chosen.length)}${page.anomalies_left_out > 0 ? ` (${grouped(page.anomalies_left_out)} more were counted)` : ''}`
      : 'none passes the filter';
    back.disabled = at === 0;
    next.disabled = at + 1 >= chosen.length;
    replace(body, anomaly ? show_anomaly(page, anomaly) : null);
  };
  const refilter = (): void => {
    chosen = page.anomalies.filter((anomaly) => passes(filter, page, anomaly));
    at = 0;
    show();
  };
  const go = (by: number): void => {
    if (at + by < 0 || at + by >= chosen.length) return;
    at += by;
    history.replaceState(null, '', `#anomaly-${page.anomalies.indexOf(chosen[at]!) + 1}`);
    show();
  };
  const back = h('button', { type: 'button', click: () => go(-1) }, '← previous');
  const next = h('button', { type: 'button', click: () => go(1) }, 'next →');
  const text_filter = (name: 'key' | 'session' | 'transaction'): HTMLElement =>
    h('label', {}, `${name} `, h('input', { type: 'search', name, size: 10, input: (event) => {
      filter[name] = (event.target as HTMLInputElement).value.trim();
      refilter();
    } }));
  const kind_filter = h('label', {}, 'kind ', h('select', { name: 'kind', change: (event) => {
    filter.kind = (event.target as HTMLSelectElement).value;
    refilter();
  } }, h('option', { value: '' }, 'all'), ...kinds.map((kind) => h('option', { value: kind }, kind))));

  addEventListener('hashchange', () => {
    if (!location.hash.startsWith('#anomaly-')) return;
    chosen = page.anomalies;
    at = named();
    show();
  });
  document.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') go(-1);
    if (event.key === 'ArrowRight') go(1);
  });
  show();
  return section('Anomalies', 'anomalies',
    h('div', { class: 'bar-of-tools' }, h('div', { class: 'turn' }, back, place, next), h('div', { class: 'filters', role: 'search' }, kind_filter, text_filter('key'), text_filter('session'), text_filter('transaction'))),
    body);
}
