// What a step does, as a sentence for the person who watches.
import type { Assertion, Step, StepOf } from './model.js';

const longest = 80;

export function intentOf(step: Step): string {
  if (step.type === 'goto') return `Open ${plain(step.url)}`;
  if (step.type === 'act') return actIntent(step);
  if (step.type === 'expect') return expectIntent(step);
  if (step.type === 'extract') return `Read ${step.into} from ${quoted(step.selector)}`;
  return step.ms === undefined ? `Wait until ${quoted(step.for ?? '')} appears` : `Wait for ${step.ms} ms`;
}

const verbs = { click: 'Click', hover: 'Hover over', scroll: 'Scroll to' } as const;

function actIntent({ action, target, selector = '', value = '' }: StepOf<'act'>): string {
  const what = target === undefined ? quoted(selector) : plain(target);
  if (action === 'fill') return value === '' ? `Clear ${what}` : `Type ${quoted(value)} into ${what}`;
  return action === 'press' ? `Press ${quoted(value)} in ${what}` : `${verbs[action]} ${what}`;
}

function expectIntent(step: StepOf<'expect'>): string {
  if (step.kind === 'url_contains') return `See that the address contains ${quoted(step.value)}`;
  if (step.kind === 'url_matches') return `See that the address matches ${quoted(step.value)}`;
  if (step.kind === 'beacon') return `See that ${beaconWords(step)} was sent`;
  return `See ${quoted(step.value)} in ${step.selector === undefined ? 'the page' : quoted(step.selector)}`;
}

export function gradeIntent(assertion: Assertion): string {
  return assertion.kind === 'no_console_errors'
    ? 'Grade the flow: no console errors'
    : `Grade the flow: ${beaconWords(assertion)} fires`;
}

function beaconWords({ vendor, event }: { vendor: string; event?: string | undefined }): string {
  return event === undefined ? `a beacon of ${plain(vendor)}` : `the beacon ${quoted(event)} of ${plain(vendor)}`;
}

function quoted(text: string): string {
  return JSON.stringify(plain(text));
}

/** One line, and no braces that could be taken for a reference. */
function plain(text: string): string {
  const line = text
    .replace(/\{\{\s*(\w+)\s*\}\}/g, '<$1>')
    .replace(/\{(?=\{)/g, '{ ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].length > longest ? `${[...line].slice(0, longest).join('')}…` : line;
}
