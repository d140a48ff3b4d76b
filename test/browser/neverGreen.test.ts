// A recipe that proves nothing does not pass, and its package says why. test/e2e/neverGreen.test.ts tests each rule in a host.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { judgeLines } from '../../src/evidence/verdict.js';
import { defineSetup } from '../../src/registry/setup.js';
import { expectWhole } from '../support/evidence.js';
import { ownAction } from '../support/ownSetup.js';
import { readPackage } from '../support/packages.js';
import { notShown, proofless, smoke, visible, visiblePage } from '../support/proofless.js';
import { runExtended } from '../support/runExtended.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();

const cannotFail = { fallible: () => false };
const setup = defineSetup({
  actions: [
    ownAction('lab.nothing', () => ({}), cannotFail),
    ownAction('lab.count', () => ({ output: { count: 1 } }), cannotFail),
  ],
});

test.each(Object.entries(proofless))('%s does not pass', async (_, [document, { reason, ...expected }]) => {
  const { root, exitCode, summary } = await runExtended(document, { setup });
  expect(exitCode).not.toBe(0);
  expect(summary).toMatchObject({ ...expected, reason: expect.stringContaining(reason) });
  if (expected.cause_class === undefined) expect(summary).not.toHaveProperty('cause_class');
  expectWhole(readPackage(join(root, 'out')));
});

test.each(Object.entries(smoke))('%s passes, because one of its assertions could have failed', async (_, document) => {
  const { exitCode, summary } = await runExtended(document, { setup });
  expect(exitCode).toBe(0);
  expect(summary).toMatchObject({ status: 'pass', reason: 'the recipe passed' });
});

test('a visible claim without a screenshot is unknown', async () => {
  const verdicts = [];
  for (const nodes of Object.values(visible(ui.pages.url(visiblePage)))) {
    const { journal } = await uiRun(ui.page, nodes, { targets: ['AC1'] });
    verdicts.push(judgeLines(readJournal(journal).lines).verdict);
  }
  const [a, b, c] = verdicts;
  for (const verdict of [a, b]) {
    expect(verdict).toMatchObject({ status: 'unknown', reason: expect.stringContaining(notShown) });
    expect(verdict).not.toHaveProperty('cause_class');
  }
  expect(c).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
  expect(c?.proof[0]?.artifacts).toBeGreaterThanOrEqual(1);
});
