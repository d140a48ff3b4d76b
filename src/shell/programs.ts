// Programs that read a text they are given as code. A data table; those that start another program are in wrappers.ts.

/** How a program finds the code it runs. Letters are short options, which may stand together behind one dash. */
export type Reader = {
  /** Options whose value is the code that runs. */
  code?: string;
  longCode?: readonly string[];
  /** Options with a value that is data: it may come from anywhere. */
  data?: string;
  /** Long ones, with the number of values. */
  longData?: Readonly<Record<string, number>>;
  /** Options with a value of another kind, which may decide what runs. */
  values?: string;
  longValues?: readonly string[];
  /** Options whose value follows without a space, if at all. */
  attached?: string;
  /** Subcommands before the script. */
  subcommands?: readonly string[];
  /** What operands are: the first one a script, all of them code, all but the first, or data. */
  operands: 'script' | 'all' | 'rest' | 'data';
  /** Its program is its standard input, when it is told no other. */
  stdin?: true;
  /** A shell: the code of -c is an operand, in our own language. */
  shell?: true;
  /** After the code come only arguments. */
  codeEndsOptions?: true;
  /** It takes options after operands too. */
  permutes?: true;
};

const shell: Reader = {
  code: 'c',
  values: 'oO',
  longValues: ['--rcfile', '--init-file'],
  operands: 'script',
  stdin: true,
  shell: true,
};
const node: Reader = {
  ...{ code: 'ep', longCode: ['--eval', '--print'], values: 'rCP' },
  longValues: [
    '--require',
    '--import',
    '--loader',
    '--experimental-loader',
    '--conditions',
    '--tsconfig',
    '--title',
    '--project',
  ],
  ...{ subcommands: ['run', 'eval', 'test', 'watch', 'repl'], operands: 'script', stdin: true },
};
const python: Reader = { code: 'cm', values: 'WXQ', operands: 'script', stdin: true, codeEndsOptions: true };
const perl: Reader = { code: 'eE', attached: 'iMmIlFdDVx0C', operands: 'script', stdin: true };
const ruby: Reader = { code: 'e', values: 'rICE', attached: 'iFKTWx0', operands: 'script', stdin: true };
const php: Reader = { code: 'rBREFf', values: 'dcgHtzS', operands: 'script', stdin: true, longCode: ['--run', '--file'] };
const lua: Reader = { code: 'e', values: 'l', operands: 'script', stdin: true };
const awk: Reader = {
  ...{ code: 'fe', longCode: ['--file', '--source'], values: 'Fil', operands: 'script' },
  ...{ data: 'v', longData: { '--assign': 1 } },
};
const sed: Reader = {
  code: 'ef',
  longCode: ['--expression', '--file'],
  attached: 'i',
  values: 'l',
  operands: 'script',
  permutes: true,
};
const jq: Reader = {
  ...{ code: 'f', longCode: ['--from-file'], values: 'L', operands: 'script', permutes: true },
  longData: { '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2, '--indent': 1 },
};
const psql: Reader = {
  ...{ code: 'cfv', longCode: ['--command', '--file', '--set', '--variable'], operands: 'data', stdin: true, permutes: true },
  ...{ values: 'dhpUFRPTLo', longValues: ['--dbname', '--host', '--port', '--username', '--output'] },
};
const mysql: Reader = {
  ...{ code: 'e', longCode: ['--execute', '--init-command'], operands: 'data', stdin: true, permutes: true },
  ...{ values: 'hPuDS', longValues: ['--host', '--port', '--user', '--database'], attached: 'p' },
};
const sqlite: Reader = {
  longCode: ['-cmd', '-init'],
  longValues: ['-separator', '-newline', '-nullvalue'],
  operands: 'rest',
  stdin: true,
};
const everything: Reader = { operands: 'all' };
const everythingAndStdin: Reader = { operands: 'all', stdin: true };
const script: Reader = { code: 'e', longCode: ['--eval', '-eval', '-e'], operands: 'script', stdin: true };
const pwsh: Reader = {
  longCode: ['-c', '-Command', '-command', '-EncodedCommand', '-ec', '-e'],
  operands: 'script',
  stdin: true,
};

/** Programs for which a few options name a program to run. */
const runsOption = (...longCode: string[]): Reader => ({ longCode, operands: 'data', permutes: true });

export const readers: ReadonlyMap<string, Reader> = new Map([
  ...named(shell, 'sh ash bash dash zsh ksh mksh rbash csh tcsh fish'),
  ...named(node, 'node nodejs deno bun tsx ts-node'),
  ...named(python, 'python pypy'),
  ...named(perl, 'perl'),
  ...named(ruby, 'ruby'),
  ...named(php, 'php'),
  ...named(lua, 'lua luajit'),
  ...named(awk, 'awk gawk mawk nawk'),
  ...named(sed, 'sed gsed'),
  ...named(jq, 'jq yq gojq'),
  ...named(psql, 'psql'),
  ...named(mysql, 'mysql mariadb'),
  ...named(sqlite, 'sqlite sqlite3 duckdb'),
  ...named(script, 'Rscript R osascript julia elixir tclsh wish expect groovy scala ocaml guile racket mongosh mongo'),
  ...named(runsOption('--upload-pack', '--receive-pack', '--exec-path', '--exec', '-x'), 'git'),
  ...named(runsOption('--checkpoint-action', '--to-command', '--use-compress-program', '-I'), 'tar gtar'),
  ...named(runsOption('-e', '--rsh', '--rsync-path'), 'rsync'),
  ...named(pwsh, 'pwsh powershell'),
  ...named(
    everything,
    'trap alias let enable bind complete compgen hash script tmux screen socat concurrently hyperfine nodemon',
  ),
  ...named(
    everythingAndStdin,
    'eval source . ssh su runuser cmd make gmake parallel watch at batch crontab ed ex vi vim nvim emacs dc gdb lldb gnuplot m4',
  ),
]);

/** Variables that a program or the shell itself reads as code, or as where to find it. */
export const codeVariables: ReadonlySet<string> = new Set(
  [
    'PATH BASH_ENV ENV IFS PS1 PS4 PROMPT_COMMAND SHELLOPTS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH',
  ]
    .concat('PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB EDITOR VISUAL PAGER GIT_SSH GIT_SSH_COMMAND')
    .join(' ')
    .split(' '),
);

/** Programs in which an option can run another one, or destroy something: a value there may not look like an option. */
export const optionsMatter: ReadonlySet<string> = new Set(
  'git tar rsync find curl wget zip sort man less scp sftp hg svn go cargo chmod rm'.split(' '),
);

/** One entry under several names. */
export function named<T>(entry: T, names: string): [string, T][] {
  return names.split(' ').map((name) => [name, entry]);
}
