// Tables of the programs that read code from their words or their input, and of the programs that start another program.

/** How a program finds the code that it runs. A string of letters lists short options, which may share one dash. */
export type Interpreter = {
  /** Options whose value is the code that runs. */
  code?: string;
  longCode?: readonly string[];
  /** Options whose value is data. */
  data?: string;
  /** Long options whose values are data, with the number of values. */
  longData?: Readonly<Record<string, number>>;
  /** Options with another value, which may decide what runs. */
  values?: string;
  longValues?: readonly string[];
  /** Options that may have a value, but only without a space before it. */
  attached?: string;
  /** Subcommands before the script. */
  subcommands?: readonly string[];
  /** The operands that are code: `script` the first one, `all` all, `rest` all but the first one, `data` none. */
  operands: 'script' | 'all' | 'rest' | 'data';
  /** The program reads code from standard input if its words contain none. */
  stdin?: true;
  /** The program is a shell: the code of -c is an operand, and is shell text. */
  shell?: true;
  /** Everything after the code is an argument. */
  codeEndsOptions?: true;
  /** The program also accepts options after operands. */
  permutes?: true;
};

const shell: Interpreter = {
  code: 'c',
  values: 'oO',
  longValues: ['--rcfile', '--init-file'],
  operands: 'script',
  stdin: true,
  shell: true,
};
const node: Interpreter = {
  code: 'ep',
  longCode: ['--eval', '--print'],
  values: 'rCP',
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
  subcommands: ['run', 'eval', 'test', 'watch', 'repl'],
  operands: 'script',
  stdin: true,
};
const python: Interpreter = { code: 'cm', values: 'WXQ', operands: 'script', stdin: true, codeEndsOptions: true };
const perl: Interpreter = { code: 'eE', attached: 'iMmIlFdDVx0C', operands: 'script', stdin: true };
const ruby: Interpreter = { code: 'e', values: 'rICE', attached: 'iFKTWx0', operands: 'script', stdin: true };
const php: Interpreter = { code: 'rBREFf', values: 'dcgHtzS', operands: 'script', stdin: true, longCode: ['--run', '--file'] };
const lua: Interpreter = { code: 'e', values: 'l', operands: 'script', stdin: true };
const awk: Interpreter = {
  code: 'fe',
  longCode: ['--file', '--source'],
  values: 'Fil',
  operands: 'script',
  data: 'v',
  longData: { '--assign': 1 },
};
const sed: Interpreter = {
  code: 'ef',
  longCode: ['--expression', '--file'],
  attached: 'i',
  values: 'l',
  operands: 'script',
  permutes: true,
};
const jq: Interpreter = {
  code: 'f',
  longCode: ['--from-file'],
  values: 'L',
  operands: 'script',
  permutes: true,
  longData: { '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2, '--indent': 1 },
};
const psql: Interpreter = {
  code: 'cfv',
  longCode: ['--command', '--file', '--set', '--variable'],
  values: 'dhpUFRPTLo',
  longValues: ['--dbname', '--host', '--port', '--username', '--output'],
  operands: 'data',
  stdin: true,
  permutes: true,
};
const mysql: Interpreter = {
  code: 'e',
  longCode: ['--execute', '--init-command'],
  values: 'hPuDS',
  longValues: ['--host', '--port', '--user', '--database'],
  attached: 'p',
  operands: 'data',
  stdin: true,
  permutes: true,
};
const sqlite: Interpreter = {
  longCode: ['-cmd', '-init'],
  longValues: ['-separator', '-newline', '-nullvalue'],
  operands: 'rest',
  stdin: true,
};
const operandsAreCode: Interpreter = { operands: 'all' };
const operandsAndStdinAreCode: Interpreter = { operands: 'all', stdin: true };
const script: Interpreter = { code: 'e', longCode: ['--eval', '-eval', '-e'], operands: 'script', stdin: true };
const pwsh: Interpreter = {
  longCode: ['-c', '-Command', '-command', '-EncodedCommand', '-ec', '-e'],
  operands: 'script',
  stdin: true,
};

/** Creates the entry of a program with options that name a program to run. */
const runsOption = (...longCode: string[]): Interpreter => ({ longCode, operands: 'data', permutes: true });

export const interpreters: ReadonlyMap<string, Interpreter> = new Map([
  ...withNames(shell, 'sh ash bash dash zsh ksh mksh rbash csh tcsh fish'),
  ...withNames(node, 'node nodejs deno bun tsx ts-node'),
  ...withNames(python, 'python pypy'),
  ...withNames(perl, 'perl'),
  ...withNames(ruby, 'ruby'),
  ...withNames(php, 'php'),
  ...withNames(lua, 'lua luajit'),
  ...withNames(awk, 'awk gawk mawk nawk'),
  ...withNames(sed, 'sed gsed'),
  ...withNames(jq, 'jq yq gojq'),
  ...withNames(psql, 'psql'),
  ...withNames(mysql, 'mysql mariadb'),
  ...withNames(sqlite, 'sqlite sqlite3 duckdb'),
  ...withNames(script, 'Rscript R osascript julia elixir tclsh wish expect groovy scala ocaml guile racket mongosh mongo'),
  ...withNames(runsOption('--upload-pack', '--receive-pack', '--exec-path', '--exec', '-x'), 'git'),
  ...withNames(runsOption('--checkpoint-action', '--to-command', '--use-compress-program', '-I'), 'tar gtar'),
  ...withNames(runsOption('-e', '--rsh', '--rsync-path'), 'rsync'),
  ...withNames(pwsh, 'pwsh powershell'),
  ...withNames(
    operandsAreCode,
    'trap alias let enable bind complete compgen hash script tmux screen socat concurrently hyperfine nodemon',
  ),
  ...withNames(
    operandsAndStdinAreCode,
    'eval source . ssh su runuser cmd make gmake parallel watch at batch crontab ed ex vi vim nvim emacs dc gdb lldb gnuplot m4',
  ),
]);

/** Environment variables that a program or the shell reads as code, or as the path of code. */
export const codeVariables: ReadonlySet<string> = new Set(
  [
    'PATH BASH_ENV ENV IFS PS1 PS4 PROMPT_COMMAND SHELLOPTS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH',
  ]
    .concat('PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB EDITOR VISUAL PAGER GIT_SSH GIT_SSH_COMMAND')
    .join(' ')
    .split(' '),
);

/** Programs with options that run another program or delete something. A value among their words must not look like an option. */
export const optionSensitivePrograms: ReadonlySet<string> = new Set(
  'git tar rsync find curl wget zip sort man less scp sftp hg svn go cargo chmod rm'.split(' '),
);

/** `names` are separated by spaces. */
function withNames<T>(entry: T, names: string): [string, T][] {
  return names.split(' ').map((name) => [name, entry]);
}

/** A program that runs the program in its operands. `values` and `longValues` have the same meaning as in `Interpreter`. */
export type Wrapper = {
  values?: string;
  longValues?: readonly string[];
  /** Options that pass the next words to a shell. */
  shellOptions?: readonly string[];
  /** With one of these options, the wrapper starts no program. */
  inert?: readonly string[];
  /** The number of the wrapper's own operands before the program. */
  operands?: number;
  /** The wrapper starts a program only after one of these words, such as `exec`. */
  subcommands?: readonly string[];
};

const exec = ['exec', 'run', 'x', 'dlx'];
const container: Wrapper = {
  values: 'euwvplnc',
  longValues: [
    '--env',
    '--user',
    '--workdir',
    '--name',
    '--volume',
    '--publish',
    '--network',
    '--mount',
    '--label',
    '--container',
    '--namespace',
    '--index',
  ],
  subcommands: ['exec', 'run'],
  operands: 1,
};

export const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ...withNames<Wrapper>(
    {},
    'nohup setsid builtin caffeinate busybox toybox cross-env cross-env-shell winpty unbuffer systemd-run xvfb-run dumb-init tini valgrind unshare nsenter setpriv',
  ),
  ...withNames<Wrapper>({ values: 'uC', longValues: ['--unset', '--chdir'], shellOptions: ['-S', '--split-string'] }, 'env'),
  ...withNames<Wrapper>(
    { values: 'ugCDhprRtTU', longValues: ['--user', '--group'], shellOptions: ['-s', '-i', '--shell', '--login'] },
    'sudo doas',
  ),
  ...withNames<Wrapper>({ values: 'n', longValues: ['--adjustment'] }, 'nice'),
  ...withNames<Wrapper>({ values: 'cnp' }, 'ionice chrt'),
  ...withNames<Wrapper>({ values: 'fo' }, 'time'),
  ...withNames<Wrapper>({ values: 'ioe' }, 'stdbuf'),
  ...withNames<Wrapper>({ values: 'oepsu' }, 'strace ltrace'),
  ...withNames<Wrapper>({ values: 'ks', longValues: ['--kill-after', '--signal'], operands: 1 }, 'timeout gtimeout'),
  ...withNames<Wrapper>({ operands: 1 }, 'chroot taskset'),
  ...withNames<Wrapper>({ operands: 1, values: 'wE', shellOptions: ['-c', '--command'] }, 'flock'),
  ...withNames<Wrapper>({ values: 'a' }, 'exec'),
  ...withNames<Wrapper>({ inert: ['-v', '-V'] }, 'command'),
  ...withNames<Wrapper>(
    {
      values: 'nIPLdaEs',
      longValues: ['--max-args', '--max-procs', '--delimiter', '--arg-file', '--replace'],
    },
    'xargs',
  ),
  ...withNames<Wrapper>({ values: 'p', longValues: ['--package'], shellOptions: ['-c', '--call'] }, 'npx pnpx bunx'),
  ...withNames<Wrapper>(
    { subcommands: exec.filter((word) => word !== 'run'), shellOptions: ['-c', '--call', '--shell-mode'] },
    'npm pnpm yarn',
  ),
  ...withNames<Wrapper>({ subcommands: exec }, 'poetry pipenv uv bundle conda hatch'),
  ...withNames(container, 'docker podman nerdctl kubectl oc docker-compose'),
]);
