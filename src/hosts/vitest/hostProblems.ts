// What makes a Vitest run fail outside of its recipes.
import { stripVTControlCharacters } from 'node:util';
import { outsideProblems } from '../shared/outsideProblems.js';
import type { RunEnd } from './finishRun.js';
import { identityOf } from './readTest.js';

export function hostProblems({ modules, unhandled, reason }: RunEnd): string[] {
  const failed = modules.flatMap((module) => {
    const others = [...module.children.allTests('failed')].filter((test) => !identityOf(test));
    const names = others.map(({ fullName }) => `${module.relativeModuleId} > ${fullName}`);
    return module.errors().length > 0 ? [...names, module.relativeModuleId] : names;
  });
  const errors = unhandled.map(({ message }) => firstLine(message));
  return outsideProblems({ errors, failed, isInterrupted: reason === 'interrupted' });
}

/** A blob keeps no messages of errors that belong to no test. */
function firstLine(message: string | undefined): string {
  const [first = ''] = stripVTControlCharacters(message ?? '').split('\n');
  return first || 'An error without a message.';
}
