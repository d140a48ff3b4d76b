// The report of a run for people.

export function inWords({ rounds, dropped, variants, ratios, perNodeUs, goals }) {
  const names = Object.keys(variants);
  const { cpuMs, ms } = ratios['recipe/native'];
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
    ...(Math.abs(ratios['steps/native'].cpuMs.ratio - 1) > 0.1
      ? ['Named steps alone are off by more than 0.1: the machine was uneven, run it again.']
      : []),
    ...(cpuMs.high - cpuMs.low > 0.1 ? ['The range is wide: use more rounds (BENCH_ROUNDS) or a quieter machine.'] : []),
    verdict('CPU', cpuMs, goals.cpuMs),
    verdict('time', ms, goals.ms),
  ].join('\n');
}

function verdict(what, { ratio, low, high }, goal) {
  const [measured, from, to] = [ratio, low, high].map((value) => value.toFixed(3));
  return `${ratio <= goal ? 'PASS' : 'FAIL'}: ${measured} (${from} to ${to}) times the ${what} of the hand-written spec, the goal is ${goal.toFixed(2)}`;
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
