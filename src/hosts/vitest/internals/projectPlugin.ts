// Checks whether a config belongs to an entry of `test.projects`. Relies on the name of the plugin that Vitest 4.1.12 adds to it:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/plugins/workspace.ts

export function hasProjectPlugin(plugins: unknown): boolean {
  const all: unknown[] = [plugins].flat(10);
  return all.some((plugin) => (Object(plugin) as { name?: unknown }).name === 'vitest:project');
}
