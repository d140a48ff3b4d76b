// Programs that run another program: where its name stands among their words.
import { named } from './programs.js';

/** A program that runs the program named by its operands. */
export type Wrapper = {
  values?: string;
  longValues?: readonly string[];
  /** Options that make a shell read what follows. */
  shellOptions?: readonly string[];
  /** Options with which it starts nothing. */
  inert?: readonly string[];
  /** Operands before the program. */
  operands?: number;
  /** Words before the program that must be there, such as `exec`; without one of them it is any program. */
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
  ...{ subcommands: ['exec', 'run'], operands: 1 },
};

export const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ...named<Wrapper>(
    {},
    'nohup setsid builtin caffeinate busybox toybox cross-env cross-env-shell winpty unbuffer systemd-run xvfb-run dumb-init tini valgrind unshare nsenter setpriv',
  ),
  ...named<Wrapper>({ values: 'uC', longValues: ['--unset', '--chdir'], shellOptions: ['-S', '--split-string'] }, 'env'),
  ...named<Wrapper>(
    { values: 'ugCDhprRtTU', longValues: ['--user', '--group'], shellOptions: ['-s', '-i', '--shell', '--login'] },
    'sudo doas',
  ),
  ...named<Wrapper>({ values: 'n', longValues: ['--adjustment'] }, 'nice'),
  ...named<Wrapper>({ values: 'cnp' }, 'ionice chrt'),
  ...named<Wrapper>({ values: 'fo' }, 'time'),
  ...named<Wrapper>({ values: 'ioe' }, 'stdbuf'),
  ...named<Wrapper>({ values: 'oepsu' }, 'strace ltrace'),
  ...named<Wrapper>({ values: 'ks', longValues: ['--kill-after', '--signal'], operands: 1 }, 'timeout gtimeout'),
  ...named<Wrapper>({ operands: 1 }, 'chroot taskset'),
  ...named<Wrapper>({ operands: 1, values: 'wE', shellOptions: ['-c', '--command'] }, 'flock'),
  ...named<Wrapper>({ values: 'a' }, 'exec'),
  ...named<Wrapper>({ inert: ['-v', '-V'] }, 'command'),
  ...named<Wrapper>(
    {
      values: 'nIPLdaEs',
      longValues: ['--max-args', '--max-procs', '--delimiter', '--arg-file', '--replace'],
    },
    'xargs',
  ),
  ...named<Wrapper>({ values: 'p', longValues: ['--package'], shellOptions: ['-c', '--call'] }, 'npx pnpx bunx'),
  ...named<Wrapper>(
    { subcommands: exec.filter((word) => word !== 'run'), shellOptions: ['-c', '--call', '--shell-mode'] },
    'npm pnpm yarn',
  ),
  ...named<Wrapper>({ subcommands: exec }, 'poetry pipenv uv bundle conda hatch'),
  ...named(container, 'docker podman nerdctl kubectl oc docker-compose'),
]);
