// The time at which the lines of the journal are on disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JournalLine } from '../../../src/evidence/journal.js';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

/** A synchronous action that returns the lines that the journal of its own run has on disk. */
const readLines = ownAction('shop.lines', (_, { projectRoot }) => {
  const lines = readFileSync(join(projectRoot, 'out/journal.jsonl'), 'utf8').split('\n');
  return { output: { last: lines.pop(), lines: lines.map(shorten) } };
});

function shorten(text: string): string {
  const { t, path } = JSON.parse(text) as JournalLine;
  return `${t} ${path}`.trim();
}

test('every journal line is on disk before the next action begins, also with synchronous actions', async () => {
  const action = 'shop.lines';
  const group = {
    action: 'rw.group',
    order: 'in_turn',
    body: { nodes: withIntents({ b: { action }, c: { action } }) },
    next: 'd',
  };
  const { trace, exitCode } = await runExtended(recipeOf({ a: { action, next: 'group' }, group, d: { action, next: 'done' } }), {
    setup: defineSetup({ actions: [readLines] }),
  });
  expect(exitCode).toBe(0);
  const linesOf = (id: string) => trace.find(({ nodeId }) => nodeId === id)?.output;
  const beforeA = ['run', 'begin a'];
  const beforeB = [...beforeA, 'end a', 'begin group', 'begin group/b'];
  const beforeC = [...beforeB, 'end group/b', 'begin group/c'];
  expect(linesOf('a')).toEqual({ last: '', lines: beforeA });
  expect(linesOf('group/b')).toEqual({ last: '', lines: beforeB });
  expect(linesOf('group/c')).toEqual({ last: '', lines: beforeC });
  expect(linesOf('d')).toEqual({ last: '', lines: [...beforeC, 'end group/c', 'end group', 'begin d'] });
});
