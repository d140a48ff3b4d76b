// The report of a run for people.

export function inWords({ rounds, dropped, variants, ratios, perNodeUs, goal, passed }) {
  const names = Object.keys(variants);
  const { ratio, low, high } = ratios['recipe/native'].cpuMs;
  return [
    `A recipe of 10 UI nodes against the hand-written spec: ${rounds} rounds in one worker, ${dropped} more dropped as warm-up`,
    '',
    row('', ['CPU median', 'CPU sum', 'time median', 'time sum', 'CPU with load']),
    ...names.map((name) => row(name, cells(variants[name]))),
    '',
    row('ratio', ['CPU', '95 % of it', 'of medians', 'of sums', 'time', 'CPU with load']),
    ...Object.entries(ratios).map(([name, ratio]) => row(name, ratioCells(ratio))),
    '',
    `A recipe adds ${Math.round(perNodeUs)} µs of worker CPU per node.`,
    ...(high - low > 0.1 ? ['The range is wide: use more rounds (BENCH_ROUNDS) or a quieter machine.'] : []),
    `${passed ? 'PASS' : 'FAIL'}: ${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}) times the CPU of the hand-written spec, the goal is ${goal.toFixed(2)}`,
  ].join('\n');
}

function cells({ cpuMs, ms, loadedCpuMs }) {
  return [cpuMs.median, cpuMs.sum, ms.median, ms.sum, loadedCpuMs.median].map((value) => `${value.toFixed(1)} ms`);
}

function ratioCells({ cpuMs, ms, loadedCpuMs }) {
  const { ratio, low, high, ofMedians, ofSums } = cpuMs;
  const range = `${low.toFixed(2)}–${high.toFixed(2)}`;
  return [ratio.toFixed(3), range, ofMedians.toFixed(3), ofSums.toFixed(3), ms.ratio.toFixed(3), loadedCpuMs.ratio.toFixed(3)];
}

function row(name, cells) {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(14)).join('')}`.trimEnd();
}
