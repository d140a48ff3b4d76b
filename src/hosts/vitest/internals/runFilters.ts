// Reads which options leave tests out of a run. Vitest does not document `filenamePattern` and `config.cliExclude`, as of 4.1.12:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/core.ts
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/cli/cac.ts
import type { Vitest } from 'vitest/node';
import { quoteShellWord } from '../../../evidence/escapeText.js';

type RunFilters = {
  filenamePattern?: readonly string[];
  config: {
    testNamePattern?: RegExp;
    tagsFilter?: readonly string[];
    shard?: { index: number; count: number };
    project?: string | readonly string[];
    changed?: boolean | string;
    related?: readonly string[];
    cliExclude?: readonly string[];
    mergeReports?: string;
  };
};

/** Lists the options that leave tests out of a run, spelled as on a command line. */
export function selectionOf(vitest: Vitest): string[] {
  const { filenamePattern = [], config } = vitest as unknown as RunFilters;
  const { testNamePattern, tagsFilter = [], shard, project = [], changed, related = [], cliExclude = [] } = config;
  if (config.mergeReports) return ['the runs whose reports were merged'];
  return [
    ...filenamePattern.map(quoteShellWord),
    ...(testNamePattern ? [`-t ${quoteShellWord(testNamePattern.source)}`] : []),
    ...tagsFilter.map((filter) => `--tags-filter=${quoteShellWord(filter)}`),
    ...(shard ? [`--shard=${shard.index}/${shard.count}`] : []),
    ...projectOptions([project].flat()),
    ...(changed ? [changed === true ? '--changed' : `--changed=${quoteShellWord(changed)}`] : []),
    ...related.map((file) => `related ${quoteShellWord(file)}`),
    ...cliExclude.map((glob) => `--exclude=${quoteShellWord(glob)}`),
  ];
}

export function projectOptions(names: readonly string[]): string[] {
  return names.map((name) => `--project=${quoteShellWord(name)}`);
}

/** Whether the command line leaves tests out. An exclusion in the config applies to every run and is not a filter. */
export function isFiltered(vitest: Vitest): boolean {
  return selectionOf(vitest).length > 0 || process.argv.some((word) => /^--dir(=|$)/.test(word));
}
