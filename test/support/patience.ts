// The timeouts of the tests. They are long, because a test must not depend on the load of the machine.

/** For one event in a test: a new file, a line of output, the end of a process. */
export const eventMs = 240_000;

/** For one run of a command line in a test. */
export const runMs = 500_000;

/** For a whole test. */
export const testMs = 600_000;
