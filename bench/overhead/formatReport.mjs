// Formats the report of a run for readers.

export function formatReport({ rounds, dropped, variants, ratios, perNodeUs, goals }) {
  const names = Object.keys(variants);
  const { cpuMs, ms } = ratios['recipe/native'];
  return [
    `A recipe of 10 UI nodes compared with the hand-written spec: ${rounds} rounds in one worker, after ${dropped} rounds of warm-up`,
    '',
    formatTableRow('', ['CPU median', 'CPU sum', 'time median', 'time sum', 'CPU with load']),
    ...names.map((name) => formatTableRow(name, formatVariantCells(variants[name]))),
    '',
    formatTableRow('ratio', ['CPU', '95 % range', 'of medians', 'of sums', 'time', 'CPU with load']),
    ...Object.entries(ratios).map(([name, ratio]) => formatTableRow(name, formatRatioCells(ratio))),
    '',
    `A recipe adds ${Math.round(perNodeUs)} µs of worker CPU per node.`,
    ...(Math.abs(ratios['steps/native'].cpuMs.ratio - 1) > 0.1
      ? ['The ratio of named steps differs from 1 by more than 0.1, so the load of the machine changed. Run the bench again.']
      : []),
    ...(cpuMs.high - cpuMs.low > 0.1 ? ['The range is wide. Use more rounds (BENCH_ROUNDS) or a quieter machine.'] : []),
    formatVerdict('CPU', cpuMs, goals.cpuMs),
    formatVerdict('time', ms, goals.ms),
  ].join('\n');
}

function formatVerdict(what, { ratio, low, high }, goal) {
  const [value, from, to] = [ratio, low, high].map((number) => number.toFixed(3));
  return `${ratio <= goal ? 'PASS' : 'FAIL'}: ${value} (${from} to ${to}) times the ${what} of the hand-written spec, the goal is ${goal.toFixed(2)}`;
}

function formatVariantCells({ cpuMs, ms, loadedCpuMs }) {
  return [cpuMs.median, cpuMs.sum, ms.median, ms.sum, loadedCpuMs.median].map((value) => `${value.toFixed(1)} ms`);
}

function formatRatioCells({ cpuMs, ms, loadedCpuMs }) {
  const { ratio, low, high, ofMedians, ofSums } = cpuMs;
  const range = `${low.toFixed(2)}–${high.toFixed(2)}`;
  return [ratio.toFixed(3), range, ofMedians.toFixed(3), ofSums.toFixed(3), ms.ratio.toFixed(3), loadedCpuMs.ratio.toFixed(3)];
}

function formatTableRow(name, cells) {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(14)).join('')}`.trimEnd();
}
