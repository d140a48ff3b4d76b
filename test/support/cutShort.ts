// A host that gives up page calls of one node early: a wait that must fail takes no longer, and its node is still far from its deadline.

export type CutShort = {
  /** The id of the node, or of several. */
  node: string | readonly string[];
  ms: number;
  /** How many calls of it that have a timeout are let alone before. */
  skip?: number;
  /** How many calls of each node are cut short; all of them without it. */
  most?: number;
};

/** Gives the arguments of a page call a shorter timeout when the call belongs to the node. */
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
    const given = options as Record<string, number>;
    return [...args.slice(0, -1), { ...given, [name]: Math.min(Number(given[name]), cut.ms) }];
  };
}

/** That of Playwright, and that of our functions in the page. */
const timeoutNames = ['timeout', 'timeoutMs'] as const;

type Options = Partial<Record<string, unknown>>;
