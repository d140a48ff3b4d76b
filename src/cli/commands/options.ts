// Options that several commands have.

export const json = ['--json', 'Print one JSON document on stdout and nothing else'] as const;
export const setup = [
  '--setup <module>',
  "The project's own actions, preconditions, operators and state refs; else what its config names",
] as const;
export const projectRoot = [
  '--project-root <dir>',
  'Where catalogs are read from; else the project that each file lies in',
] as const;
export const library = ['--library <name=path>', 'A directory of recipes that others call; may be given more than once'] as const;
