// Short forms of recipes for tests. Each node leads to the next one, intents are added, and the last node leads to a passing end.
export type Node = { action: string; [field: string]: unknown };
export type Nodes = Record<string, Node>;

export type Rest = {
  title?: string;
  /** Ids of proof targets. */
  targets?: readonly string[];
  setup?: readonly Node[];
  teardown?: readonly Node[];
  [field: string]: unknown;
};

export function recipe(nodes: Nodes, { title = 'A recipe of the tests', targets, setup, teardown, ...rest }: Rest = {}): object {
  const lifecycle = (list: readonly Node[] | undefined) => list?.map((node, index) => withIntent(`step ${index}`, node));
  return {
    schema_version: 1,
    title,
    ...(targets ? { proofTargets: targets.map((id) => ({ id, claim: `The claim of ${id} holds.` })) } : {}),
    ...rest,
    validate: {
      workflow: {
        entry: Object.keys(nodes)[0],
        nodes: chainNodes(nodes),
        ...(setup ? { setup: lifecycle(setup) } : {}),
        ...(teardown ? { teardown: lifecycle(teardown) } : {}),
      },
    },
  };
}

/** Creates the body of a node such as `rw.group`. */
export function body(nodes: Nodes): { nodes: Nodes } {
  return { nodes: Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, withIntent(id, node)])) };
}

export const end = (status: 'pass' | 'fail' | 'unknown'): Node => ({ action: 'end', status });

/** A command that prints a string. */
export const say = (text: string, fields: object = {}): Node => ({
  action: 'command',
  argv: ['printf', '%s\\n', text],
  ...fields,
});

/** A command that fails. */
export const exit = (code: number, fields: object = {}): Node => ({
  action: 'command',
  argv: ['sh', '-c', `exit ${code}`],
  ...fields,
});

/** An assertion on the output of an earlier node. */
export const hears = (source: string, contains: string, fields: object = {}): Node => ({
  action: 'assert_output',
  source,
  contains,
  ...fields,
});

/** A recipe that passes and proves its only claim. Tests use it to check that a failing recipe does not affect others. */
export function sound(title = 'A sound recipe'): object {
  return recipe({ speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: 'AC1' }) }, { title, targets: ['AC1'] });
}

function chainNodes(nodes: Nodes): Nodes {
  const entries = Object.entries(nodes);
  const last = entries.at(-1);
  if (last && last[1].action !== 'end') entries.push(['done', end('pass')]);
  return Object.fromEntries(
    entries.map(([id, node], index) => {
      const nextId = entries[index + 1]?.[0];
      const keepsTransition = node.action === 'end' || node.action === 'switch' || 'next' in node || nextId === undefined;
      return [id, keepsTransition ? withIntent(id, node) : { ...withIntent(id, node), next: nextId }];
    }),
  );
}

function withIntent(id: string, node: Node): Node {
  return node.action === 'end' || 'intent' in node ? node : { intent: `Perform ${id} for the test`, ...node };
}
