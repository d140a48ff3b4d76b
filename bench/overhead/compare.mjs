// What the measurements say: medians, sums, and the ratios of tests that ran side by side.

/** `lines` in the order of the run; `dropped` rounds at the start only warm up. */
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

// What the worker does between two tests is mostly loading the next one, so it is counted there.
function roundsOf(lines, variants) {
  const rounds = [];
  for (const [index, { round, variant, began, ended }] of lines.entries()) {
    rounds[round] ??= new Map();
    const since = lines[index - 1]?.ended ?? began;
    const cpuMs = (ended.cpuUs - began.cpuUs) / 1000;
    rounds[round].set(variant, { cpuMs, ms: ended.ms - began.ms, loadedCpuMs: (ended.cpuUs - since.cpuUs) / 1000 });
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

// Within a round the machine was about equally busy, so the median of the rounds' ratios is the one to trust.
function ratioOf(rounds, read, [a, b]) {
  const [as, bs] = [a, b].map((variant) => rounds.map((round) => read(round, variant)));
  const paired = as.map((value, index) => value / bs[index]).sort((x, y) => x - y);
  const [low, high] = interval(paired);
  return { ratio: median(paired), low, high, ofMedians: median(as) / median(bs), ofSums: spread(as).sum / spread(bs).sum };
}

// 95 %, by ranks: no shape of the distribution is assumed.
function interval(sorted) {
  const reach = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(sorted.length / 2 - reach));
  return [sorted[low], sorted[sorted.length - 1 - low]];
}
