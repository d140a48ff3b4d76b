// Files and directories that the reporters of a test run write: they are no changes of the work tree.

const pathOptions = ['outputFile', 'outputFolder', 'outputDir'];

/** `reporters` as a config names them, each a name or a name with options; ours has its own rules. Relative to the config. */
export function listReporterFiles(reporters: unknown): string[] {
  const listed = Array.isArray(reporters) ? reporters : [];
  return listed.flatMap((reporter) => {
    const [name, given] = Array.isArray(reporter) ? reporter : [];
    if (typeof name !== 'string' || name.includes('recipewright')) return [];
    return pathOptions.flatMap((option) => listPaths((Object(given) as Record<string, unknown>)[option]));
  });
}

/** One path, or one for each reporter by its name. */
export function listPaths(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listPaths) : [];
}

/** Where Playwright's reporters are told by the environment to write, relative to the working directory. */
export function listReporterFilesOfEnv(env: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /^PLAYWRIGHT_[A-Z]+_OUTPUT_(FILE|DIR|NAME)$/.test(name) ? listPaths(value) : [],
  );
}
