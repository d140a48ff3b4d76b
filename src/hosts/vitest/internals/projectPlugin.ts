// Tells whether a config is that of an entry of `test.projects`. Relies on the name of the plugin that Vitest adds to it, as of 4.1.12:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/plugins/workspace.ts

export function hasProjectPlugin(plugins: unknown): boolean {
  const all: unknown[] = [plugins].flat(10);
  return all.some((plugin) => (Object(plugin) as { name?: unknown }).name === 'vitest:project');
}
