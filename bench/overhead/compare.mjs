// Computes medians, sums, and the ratios of tests that ran in the same round.

/** `lines` are in the order of the run. The first `dropped` rounds are a warm-up and do not count. */
export function compare(lines, { variants, dropped }) {
  const rounds = roundsOf(lines, variants).slice(dropped);
  const table = Object.fromEntries(variants.map((variant) => [variant, summaryOf(rounds.map((round) => round.get(variant)))]));
  const pairs = [
    ['recipe', 'native'],
    ['steps', 'native'],
    ['recipe', 'steps'],
    ['other', 'native'],
    ['other', 'recipe'],
  ];
  const known = pairs.filter((pair) => pair.every((variant) => variants.includes(variant)));
  const ratios = Object.fromEntries(known.map(([a, b]) => [`${a}/${b}`, ratiosOf(rounds, a, b)]));
  return { rounds: rounds.length, variants: table, ratios };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const measures = ['cpuMs', 'ms', 'loadedCpuMs'];

// Between two tests, the worker mostly loads the next test, so this time counts for the next test.
function roundsOf(lines, variants) {
  const rounds = [];
  for (const [index, { round, variant, start, end }] of lines.entries()) {
    rounds[round] ??= new Map();
    const loadStart = lines[index - 1]?.end ?? start;
    const cpuMs = (end.cpuUs - start.cpuUs) / 1000;
    rounds[round].set(variant, { cpuMs, ms: end.ms - start.ms, loadedCpuMs: (end.cpuUs - loadStart.cpuUs) / 1000 });
  }
  return rounds.filter((round) => round?.size === variants.length);
}

function summaryOf(tests) {
  return Object.fromEntries(measures.map((measure) => [measure, spread(tests.map((test) => test[measure]))]));
}

function spread(values) {
  return { median: median(values), sum: values.reduce((sum, value) => sum + value, 0) };
}

function ratiosOf(rounds, a, b) {
  return Object.fromEntries(
    measures.map((measure) => [measure, ratioOf(rounds, (round, variant) => round.get(variant)[measure], [a, b])]),
  );
}

// Within a round, the load of the machine is about the same, so the median of the ratios of the rounds is the most reliable.
function ratioOf(rounds, read, [a, b]) {
  const [as, bs] = [a, b].map((variant) => rounds.map((round) => read(round, variant)));
  const ratios = as.map((value, index) => value / bs[index]).sort((x, y) => x - y);
  const [low, high] = confidenceInterval(ratios);
  return { ratio: median(ratios), low, high, ofMedians: median(as) / median(bs), ofSums: spread(as).sum / spread(bs).sum };
}

// The 95 % confidence interval of the median, by ranks, without an assumption about the distribution.
function confidenceInterval(sorted) {
  const reach = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(sorted.length / 2 - reach));
  return [sorted[low], sorted[sorted.length - 1 - low]];
}
