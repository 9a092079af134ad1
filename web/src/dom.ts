// dom.ts: elements made from data. Texts become text nodes and attributes only, so nothing that a history holds can
// become markup.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    // As an attribute it would be inline style, which the page's policy forbids.
    else if (name === 'style') (element as HTMLElement | SVGElement).style.cssText = String(value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

// What makes a button of an element that is none: mouse and keyboard.
export function pressed(action: () => void): Attributes {
  return {
    tabindex: 0, role: 'button', click: action,
    keydown: (event) => {
      const key = (event as KeyboardEvent).key;
      if (key !== 'Enter' && key !== ' ') return;
      event.preventDefault();
      action();
    },
  };
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== undefined));
}

// A section with a heading, or nothing where there is nothing to show.
export function section(title: string, id: string, ...children: Child[]): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), ...children);
}

export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

// Of a name: its two ends, since names that look alike often differ in the last letters.
export function ends(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

// A text that may be broken after the signs that join words, where it is too long for its place.
export function breakable(text: string): (string | HTMLElement)[] {
  return text.split(/(?<=[_=/-])(?=\S)/).flatMap((part, i) => (i === 0 ? [part] : [h('wbr'), part]));
}

// 1234567 as 1,234,567.
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
