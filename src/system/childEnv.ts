// What a process of a recipe sees of our environment: an allow-list, so that neither secrets nor habits of a machine get in.
const usual = ['PATH', 'HOME', 'LANG', 'TZ', 'CI'];

/** Without these, programs do not start on Windows or do not find their folders. */
const windows = ['SystemRoot', 'PATHEXT', 'ComSpec', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];

/** `passEnv` are names that the project lets through, `declared` is what the node itself says. */
export type EnvSources = { passEnv?: readonly string[]; declared?: Readonly<Record<string, string>> | undefined };

export function childEnv({ passEnv = [], declared }: EnvSources): Record<string, string> {
  const names = [...usual, ...(process.platform === 'win32' ? windows : []), ...passEnv];
  const inherited = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared };
}
