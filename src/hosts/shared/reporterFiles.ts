// Files and directories that the reporters of a test run write: they are no changes of the work tree.

const options = ['outputFile', 'outputFolder', 'outputDir'];

/** `reporters` as a config names them, each a name or a name with options; ours has its own rules. Relative to the config. */
export function reporterFiles(reporters: unknown): string[] {
  const listed = Array.isArray(reporters) ? reporters : [];
  return listed.flatMap((reporter) => {
    const [name, given] = Array.isArray(reporter) ? reporter : [];
    if (typeof name !== 'string' || name.includes('recipewright')) return [];
    return options.flatMap((option) => pathsIn((Object(given) as Record<string, unknown>)[option]));
  });
}

/** One path, or one for each reporter by its name. */
export function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

/** Where Playwright's reporters are told by the environment to write, relative to the working directory. */
export function reporterFilesOfEnv(env: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /^PLAYWRIGHT_[A-Z]+_OUTPUT_(FILE|DIR|NAME)$/.test(name) ? pathsIn(value) : [],
  );
}
