// Which branches, flows and actions the runs of a suite took, in words.
export type Covered = { name: string; isTaken: boolean };

/** `notDrawn`: runs whose recipe could not be followed. */
export type Coverage = { branches: readonly Covered[]; flows: readonly Covered[]; actions: readonly Covered[]; notDrawn: number };

export type CoverageLine = { title: string; taken: number; all: number; never: readonly string[] };

export function coverageLines({ branches, flows, actions }: Coverage): CoverageLine[] {
  const kinds: [string, readonly Covered[]][] = [
    ['branches', branches],
    ['flows', flows],
    ['actions', actions],
  ];
  return kinds
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => ({
      title,
      taken: list.filter(({ isTaken }) => isTaken).length,
      all: list.length,
      never: list.filter(({ isTaken }) => !isTaken).map(({ name }) => name),
    }));
}
