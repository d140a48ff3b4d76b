/** An action, a gate or a look at state sees only the fixtures it asks for. */
export function pick(fixtures: Readonly<Record<string, unknown>>, needs: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of needs) picked[name] = fixtures[name];
  return picked;
}
