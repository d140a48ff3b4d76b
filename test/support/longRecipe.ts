/** Creates a recipe with a chain of nodes. Every second node checks the output of the previous node. */
export function longRecipe(count: number): Buffer {
  const nodes: Record<string, object> = {};
  for (let index = 0; index < count - 1; index++) {
    const next = `n${index + 1}`;
    const intent = `Do the work of step ${index}`;
    nodes[`n${index}`] =
      index % 2 === 0
        ? { action: 'command', intent, cmd: 'true', next }
        : { action: 'assert_output', intent, source: `n${index - 1}`, contains: 'ok', next };
  }
  nodes[`n${count - 1}`] = { action: 'end', status: 'pass' };
  return Buffer.from(JSON.stringify({ schema_version: 1, validate: { workflow: { entry: 'n0', nodes } } }));
}
