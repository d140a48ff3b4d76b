// A project with one runtime recipe for each way in which a runtime recipe can end. All hosts run it.

type Json = Record<string, unknown>;

const agent = (id: string, name = 'Writer'): Json => ({
  id,
  type: 'agent',
  agent_name: name,
  visual: { label: `Ask for ${id}` },
});

function manifest(id: string, nodes: readonly Json[], edges: readonly Json[] = [], rest: Json = {}): Json {
  return {
    ...{ id, version: '1.0.0', name: `The manifest ${id}`, interface: { inputs: {}, outputs: {} } },
    ...{ state: { schema: {} }, parameters: {}, topology: { nodes, edges }, ...rest },
  };
}

const person: Json = { id: 'ask', type: 'human', timeout_seconds: 60, visual: { label: 'May the draft be printed?' } };
const route = (mapping: Json): Json => ({ source_node_id: 'ask', router_logic: 'coreason.lib.router.identity', mapping });
const first: Json = { source_node_id: 'draft', target_node_id: 'ask' };

/** Passes and runs another manifest of the project. */
const approved = manifest(
  'approved',
  [
    agent('draft'),
    person,
    { id: 'print', type: 'recipe', recipe_id: 'printing', input_mapping: {}, output_mapping: {} },
    agent('burn'),
  ],
  [first, route({ approved: 'print', rejected: 'burn' })],
);

export const manifestFiles: Json = {
  'recipes/a-approved.runtime.json': approved,
  'recipes/b-unanswered.runtime.json': manifest('unanswered', [agent('draft'), { ...person, id: 'nobody' }]),
  'recipes/c-unmapped.runtime.json': manifest(
    'unmapped',
    [agent('draft'), person, agent('burn')],
    [first, route({ rejected: 'burn' })],
  ),
  'recipes/d-stranger.runtime.json': manifest('stranger', [agent('draft', 'Wirter')]),
  'recipes/e-tampered.runtime.json': manifest('tampered', [agent('draft')], [], { integrity_hash: 'a'.repeat(64) }),
  'recipes/f-printing.runtime.json': manifest('printing', [agent('page')]),
  'recipewright.config.mjs': `export default { answers: { ask: 'pass' } };`,
  'recipes.setup.ts': `
    import { defineAgent, defineSetup } from 'recipewright';
    export default defineSetup({ agents: [defineAgent('Writer', ({ node }) => ({ output: node + ' written' }))] });
  `,
};

/** Returns the line of a string in one of the files. */
export function lineIn(file: string, text: string): number {
  const lines = JSON.stringify(manifestFiles[file], null, 2).split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}
