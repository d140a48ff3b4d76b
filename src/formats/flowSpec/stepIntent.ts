// Describes a step as a sentence, for the HUD and for reports.
import type { Assertion, Step, StepOf } from './model.js';

const maxIntentLength = 80;

export function formatStepIntent(step: Step): string {
  if (step.type === 'goto') return `Open ${toPlainLine(step.url)}`;
  if (step.type === 'act') return formatActIntent(step);
  if (step.type === 'expect') return formatExpectIntent(step);
  if (step.type === 'extract') return `Read ${step.into} from ${quote(step.selector)}`;
  return step.ms === undefined ? `Wait until ${quote(step.for ?? '')} appears` : `Wait for ${step.ms} ms`;
}

const verbs = { click: 'Click', hover: 'Hover over', scroll: 'Scroll to' } as const;

function formatActIntent({ action, target, selector = '', value = '' }: StepOf<'act'>): string {
  const what = target === undefined ? quote(selector) : toPlainLine(target);
  if (action === 'fill') return value === '' ? `Clear ${what}` : `Type ${quote(value)} into ${what}`;
  return action === 'press' ? `Press ${quote(value)} in ${what}` : `${verbs[action]} ${what}`;
}

function formatExpectIntent(step: StepOf<'expect'>): string {
  if (step.kind === 'url_contains') return `Check that the URL contains ${quote(step.value)}`;
  if (step.kind === 'url_matches') return `Check that the URL matches ${quote(step.value)}`;
  if (step.kind === 'beacon') return `Check that ${formatBeacon(step)} was sent`;
  return `Check that ${quote(step.value)} is in ${step.selector === undefined ? 'the page' : quote(step.selector)}`;
}

export function formatAssertionIntent(assertion: Assertion): string {
  return assertion.kind === 'no_console_errors'
    ? 'Grade the flow: no console errors'
    : `Grade the flow: ${formatBeacon(assertion)} fires`;
}

function formatBeacon({ vendor, event }: { vendor: string; event?: string | undefined }): string {
  return event === undefined ? `a beacon of ${toPlainLine(vendor)}` : `the beacon ${quote(event)} of ${toPlainLine(vendor)}`;
}

function quote(text: string): string {
  return JSON.stringify(toPlainLine(text));
}

/** Removes line breaks, and braces that Recipe v1 would read as references. */
function toPlainLine(text: string): string {
  const line = text
    .replace(/\{\{\s*(\w+)\s*\}\}/g, '<$1>')
    .replace(/\{(?=\{)/g, '{ ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].length > maxIntentLength ? `${[...line].slice(0, maxIntentLength).join('')}…` : line;
}
