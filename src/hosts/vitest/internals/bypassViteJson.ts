// Prevents Vite's JSON plugin from parsing the modules of documents. Vite 8 respects the `moduleType` of a module. In Vite 7 and before,
// this code wraps the plugin, which it finds by name:
// https://github.com/vitejs/vite/blob/v7.1.0/packages/vite/src/node/plugins/json.ts
export type VitePlugin = { name: string; transform?: unknown };

type Transform = (code: string, id: string, ...rest: unknown[]) => unknown;

export function bypassViteJson(plugins: readonly VitePlugin[], isDocument: (file: string) => boolean): void {
  const json = plugins.find(({ name }) => name === 'vite:json');
  if (!json) return;
  const skipDocuments = (transform: Transform): Transform =>
    function (this: unknown, code, id, ...rest) {
      return isDocument(id) ? undefined : transform.call(this, code, id, ...rest);
    };
  const { transform } = json;
  if (typeof transform === 'function') json.transform = skipDocuments(transform as Transform);
  else if (hasHandler(transform)) transform.handler = skipDocuments(transform.handler);
}

function hasHandler(value: unknown): value is { handler: Transform } {
  return typeof value === 'object' && value !== null && 'handler' in value;
}
