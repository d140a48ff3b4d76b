// The index over all recipes of one run: suite.json for programs, index.md for people. Every planned recipe is in both.
import { join } from 'node:path';
import { readBytesIfThere, removeOwn, writeWhole } from '../system/files.js';
import { digestOf } from './digest.js';
import { type FirstFailure, firstFailure } from './firstFailure.js';
import { liveFolder } from './liveRuns.js';
import type { Coverage } from './suiteCoverage.js';
import { type Look, suiteTable, tableMark } from './suiteTable.js';
import type { Summary } from './summary.js';

export type SuiteEntry = {
  /** What its package is called, relative to the output directory. */
  name: string;
  /** What it says; missing when nothing ran. */
  summary?: Summary | undefined;
  /** Why nothing ran. */
  detail?: string;
  /** It was left out on purpose. */
  skipped?: boolean;
  /** It passed only when it was tried again. */
  isFlaky?: boolean;
  /** How many times it was tried before. */
  earlier?: number;
  /** The command that runs only this again. */
  again?: string;
};

export type Suite = {
  suite_id: string;
  scope_digest: string;
  totals: Record<'declared' | 'executed' | 'not_executed' | 'passed' | 'failed' | 'unknown' | 'skipped', number>;
  resolutions: Resolution[];
};

type Resolution =
  | (Pick<Summary, 'status' | 'reason'> & {
      id: string;
      kind: 'verdict';
      flaky?: true;
      summary_path: string;
      summary_digest: string;
    })
  | { id: string; kind: 'not_executed'; reason_class: 'prerequisite_missing'; detail: string };

/** What a reviewer gets besides: the paths that were taken, and a page. */
export type SuiteView = {
  coverage?: Coverage;
  page?(facts: { rows: readonly SuiteEntry[]; coverage: Coverage | undefined; look: Look }): string;
  /** Puts the tries of a recipe side by side. */
  attempts?(outputDir: string, name: string, earlier: number): void;
};

/** What stands in every page of ours, and by which we know it. */
const pageMark = 'Written by recipewright from ';

// The page and the table ask for the same, and a trace may be long.
function lookIn(outputDir: string): Look {
  const found = new Map<string, FirstFailure | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, firstFailure(join(outputDir, name)));
    return found.get(name);
  };
}

/** `entries` are all that were planned; what never came has no summary. */
export function writeSuiteIndex(outputDir: string, entries: readonly SuiteEntry[], view: SuiteView = {}): Suite {
  const { coverage, page } = view;
  const suite = suiteOf(entries);
  if (entries.length === 0) return suite;
  const look = lookIn(outputDir);
  const files = [
    ['suite.json', `${JSON.stringify(suite, null, 2)}\n`, '"scope_digest": "sha256:'],
    ['index.md', suiteTable(suite, entries, { look, coverage }), tableMark],
    ...(page ? ([['index.html', page({ rows: entries, coverage, look }), pageMark]] as const) : []),
  ] as const;
  for (const [name, , mark] of files) {
    const before = readBytesIfThere(join(outputDir, name))?.toString();
    if (before !== undefined && !before.includes(mark))
      throw new Error(`${join(outputDir, name)} is a file that recipewright did not write. Choose another output directory.`);
  }
  // What a run that was killed left there would hide the packages of this one.
  removeOwn(join(outputDir, liveFolder));
  for (const [name, text] of files) writeWhole(join(outputDir, name), text);
  for (const { name, earlier = 0 } of entries) if (earlier > 0) view.attempts?.(outputDir, name, earlier);
  return suite;
}

export function suiteOf(entries: readonly SuiteEntry[]): Suite {
  const resolutions = entries.map(resolve);
  const count = (status: Summary['status']): number => entries.filter(({ summary }) => summary?.status === status).length;
  const executed = entries.filter(({ summary }) => summary).length;
  const skipped = entries.filter((entry) => !entry.summary && entry.skipped).length;
  const suite_id = 'recipes';
  return {
    suite_id,
    scope_digest: digestOf({ suite_id, cases: resolutions.map(({ id }) => ({ id })) }),
    totals: {
      ...{ declared: entries.length, executed, not_executed: entries.length - executed },
      ...{ passed: count('pass'), failed: count('fail'), skipped },
      // What never came is not known to be anything else.
      unknown: count('unknown') + entries.length - executed - skipped,
    },
    resolutions,
  };
}

function resolve({ name, summary, isFlaky, detail = 'The run was over before it began.' }: SuiteEntry): Resolution {
  if (!summary) return { id: name, kind: 'not_executed', reason_class: 'prerequisite_missing', detail };
  const { status, reason } = summary;
  const where = { summary_path: `${name}/summary.json`, summary_digest: digestOf(summary) };
  return { id: name, kind: 'verdict', status, ...(isFlaky ? { flaky: true } : {}), ...where, reason };
}
