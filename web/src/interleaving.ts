// interleaving.ts: several transactions side by side, from top to bottom in the order of what happened. Of a long story
// the statements that nothing hangs on are folded away; a click brings them back. On a narrow screen it is one column, and
// each statement says whose it is.
import type { Interleaving } from './data';
import { h } from './dom';

const kShortStory = 14; // steps: nothing is folded
const kShortRun = 3;
const kShortText = 400; // letters

type StoryStep = Interleaving['steps'][number];

// "T1" of "T1: UPDATE stock, UPDATE orders".
const short_name = (member: string): string => member.split(':')[0]!;

function row(story: Interleaving, step: StoryStep): HTMLTableRowElement {
  return h('tr', { class: step.guilty ? 'guilty' : '' },
    ...story.members.map((member, who) => h('td', who === step.who ? { 'data-who': short_name(member) } : {}, ...(who !== step.who ? [] : [
      h('code', {}, step.sql),
      step.answer ? h('div', { class: 'answer' }, step.answer) : null,
      step.remark ? h('div', { class: 'remark' }, step.remark) : null,
    ]))));
}

const kBounds = /^\s*(begin|start transaction|commit|rollback)\b/i;

function matters(step: StoryStep): boolean {
  return step.guilty === true || step.remark !== undefined || kBounds.test(step.sql);
}

// One row in place of many.
function fold(story: Interleaving, steps: StoryStep[]): HTMLTableRowElement {
  const count = (who: number): number => steps.filter((step) => step.who === who).length;
  const folded: HTMLTableRowElement = h('tr', { class: 'fold' }, ...story.members.map((member, who) => h('td', count(who) === 0 ? {} : { 'data-who': short_name(member) }, count(who) === 0 ? null
    : h('button', { type: 'button', 'aria-expanded': 'false', click: () => folded.replaceWith(...steps.map((step) => row(story, step))) },
      `… ${count(who)} more ${count(who) === 1 ? 'statement' : 'statements'}`))));
  return folded;
}

function rows(story: Interleaving): HTMLTableRowElement[] {
  if (story.steps.length <= kShortStory || !story.steps.some((step) => step.guilty)) return story.steps.map((step) => row(story, step));
  const out: HTMLTableRowElement[] = [];
  let run: StoryStep[] = [];
  const end_run = (): void => {
    const letters = run.reduce((sum, step) => sum + step.sql.length, 0);
    if (run.length > kShortRun || letters > kShortText) out.push(fold(story, run));
    else out.push(...run.map((step) => row(story, step)));
    run = [];
  };
  for (const step of story.steps) {
    if (!matters(step)) {
      run.push(step);
      continue;
    }
    end_run();
    out.push(row(story, step));
  }
  end_run();
  return out;
}

export function interleaving(story: Interleaving): HTMLElement {
  return h('div', { class: 'scroll' }, h('table', { class: 'interleaving' },
    h('thead', {}, h('tr', {}, ...story.members.map((member) => h('th', { scope: 'col' }, member)))),
    h('tbody', {}, ...rows(story))));
}
