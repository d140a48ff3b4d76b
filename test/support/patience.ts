// How long a test waits before it says that something hangs. Nothing may depend on how busy the machine is, so these are long.

/** For one event inside a test: a file, a line of output, a process that ends. */
export const eventMs = 240_000;

/** For one run of a command line inside a test. */
export const runMs = 500_000;

/** For a whole test. */
export const testMs = 600_000;
