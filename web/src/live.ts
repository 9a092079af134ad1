// live.ts: a page that follows a run: server-sent events bring its data anew, about once a second.
//
// Always: what a person has opened, selected or read stays as it is: a part of the page is replaced only where what it
// shows has changed, and of a list of findings only what is new is added.
import type { PageData } from './data';
import { h } from './dom';

// What an element was when it was made; what a person did to it since is not in here.
const pristine = new WeakMap<Element, string>();

const kItems = 'article.anomaly, article.finding';

function remember(parts: Element[]): void {
  for (const part of parts) {
    pristine.set(part, part.outerHTML);
    for (const item of part.querySelectorAll(kItems)) pristine.set(item, item.outerHTML);
  }
}

// The items of `fresh` that `old` shows already are taken from there, with all that was opened in them.
function keep_items(old: Element, fresh: Element): void {
  const there = [...old.querySelectorAll(kItems)];
  [...fresh.querySelectorAll(kItems)].forEach((item, i) => {
    const known = there[i];
    if (known && pristine.get(known) === pristine.get(item)) item.replaceWith(known);
  });
}

function update(main: HTMLElement, fresh: HTMLElement[]): void {
  remember(fresh);
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  const key = (part: Element, i: number): string => part.id || `${part.tagName}.${part.className.split(' ')[0]}.${i < 2 ? i : 'x'}`;
  const old = new Map([...main.children].map((part, i) => [key(part, i), part]));
  const next = fresh.map((part, i) => {
    const before = old.get(key(part, i));
    if (!before) return part;
    if (pristine.get(before) === pristine.get(part)) return before;
    keep_items(before, part);
    return part;
  });
  if (next.length === main.children.length && next.every((part, i) => part === main.children[i])) return;
  main.replaceChildren(...next);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

export function follow(main: HTMLElement, parts_of: (page: PageData) => HTMLElement[]): void {
  remember([...main.children]);
  const state = h('p', { class: 'live', role: 'status' }, 'connecting …');
  main.before(state);
  const say = (kind: string, text: string): void => {
    state.className = `live ${kind}`;
    state.textContent = text;
  };
  const events = new EventSource(`events${location.search}`);
  events.addEventListener('open', () => say('on', 'following the run'));
  events.addEventListener('page', (event) => {
    update(main, parts_of(JSON.parse((event as MessageEvent<string>).data) as PageData));
    document.title = `${main.querySelector('h1')?.textContent ?? 'Isolde'} · Isolde`;
  });
  events.addEventListener('end', () => {
    events.close();
    say('over', 'the run is over; this is its last state');
  });
  events.addEventListener('error', () => say('off', 'no connection to the run: it has ended, or the network is down'));
}
