// interleaving.ts: several transactions side by side, from top to bottom in the order of what happened.
import type { Interleaving } from './data';
import { h } from './dom';

export function interleaving(story: Interleaving): HTMLElement {
  return h('div', { class: 'scroll' }, h('table', { class: 'interleaving' },
    h('thead', {}, h('tr', {}, ...story.members.map((member) => h('th', { scope: 'col' }, member)))),
    h('tbody', {}, ...story.steps.map((step) => h('tr', { class: step.guilty ? 'guilty' : '' },
      ...story.members.map((_, who) => h('td', {}, ...(who !== step.who ? [] : [
        h('code', {}, step.sql),
        step.answer ? h('div', { class: 'answer' }, step.answer) : null,
        step.remark ? h('div', { class: 'remark' }, step.remark) : null,
      ]))))))));
}
