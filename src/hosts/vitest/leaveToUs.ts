// Vite's own JSON plugin would take the module text of a document for JSON. Vite 8 asks for the type of the module; before it, the plugin is told.
export type OtherPlugin = { name: string; transform?: unknown };

type Transform = (code: string, id: string, ...rest: unknown[]) => unknown;

export function leaveToUs(plugins: readonly OtherPlugin[], isOurs: (file: string) => boolean): void {
  const json = plugins.find(({ name }) => name === 'vite:json');
  if (!json) return;
  const guarded = (transform: Transform): Transform =>
    function (this: unknown, code, id, ...rest) {
      return isOurs(id) ? undefined : transform.call(this, code, id, ...rest);
    };
  const { transform } = json;
  if (typeof transform === 'function') json.transform = guarded(transform as Transform);
  else if (isObject(transform)) transform.handler = guarded(transform.handler);
}

function isObject(value: unknown): value is { handler: Transform } {
  return typeof value === 'object' && value !== null && 'handler' in value;
}
