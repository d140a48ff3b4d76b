// Shortens the timeouts of page calls of chosen nodes, so that a wait that must fail ends soon, long before the deadline of its
// node.

export type CutShort = {
  /** The id of the node, or of several. */
  node: string | readonly string[];
  ms: number;
  /** The number of first calls with a timeout that keep their timeout. */
  skip?: number;
  /** The maximum number of shortened calls per node. By default, all calls are shortened. */
  most?: number;
};

/** Returns a function that shortens the timeout in the arguments of a page call, if the call belongs to a chosen node. */
export function cutShortBy(cut: CutShort | undefined): (args: readonly unknown[], node: string) => unknown[] {
  const nodes = [cut?.node ?? []].flat();
  let skipped = 0;
  const cuts = new Map<string, number>();
  return (args, node) => {
    const options = args.at(-1);
    const name = timeoutNames.find((each) => typeof (options as Options | undefined)?.[each] === 'number');
    if (!cut || !nodes.includes(node) || name === undefined || skipped++ < (cut.skip ?? 0)) return [...args];
    const count = (cuts.get(node) ?? 0) + 1;
    if (count > (cut.most ?? count)) return [...args];
    cuts.set(node, count);
    const timeouts = options as Record<string, number>;
    return [...args.slice(0, -1), { ...timeouts, [name]: Math.min(Number(timeouts[name]), cut.ms) }];
  };
}

/** The option of Playwright, and the option of recipewright's functions that run in the page. */
const timeoutNames = ['timeout', 'timeoutMs'] as const;

type Options = Partial<Record<string, unknown>>;
