// Finds the files and directories that reporters write, because these do not count as changes of the work tree.

const pathOptions = ['outputFile', 'outputFolder', 'outputDir'];

/** Lists the paths of all reporters but ours, relative to the config. `reporters`: as in a config, each a name or a name with options. */
export function listReporterFiles(reporters: unknown): string[] {
  const listed = Array.isArray(reporters) ? reporters : [];
  return listed.flatMap((reporter) => {
    const [name, options] = Array.isArray(reporter) ? reporter : [];
    if (typeof name !== 'string' || name.includes('recipewright')) return [];
    return pathOptions.flatMap((option) => listPaths((Object(options) as Record<string, unknown>)[option]));
  });
}

/** Lists the paths in the value of an option: one path, or an object with one path for each reporter. */
export function listPaths(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listPaths) : [];
}

/** Lists the paths that the environment sets for Playwright's reporters, relative to the working directory. */
export function listReporterFilesOfEnv(env: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /^PLAYWRIGHT_[A-Z]+_OUTPUT_(FILE|DIR|NAME)$/.test(name) ? listPaths(value) : [],
  );
}
