// How many test workers run at once.
import { availableParallelism } from 'node:os';

const cores = availableParallelism();

/** Most tests wait for a browser or a process most of the time: with one worker per core, half of a small machine is idle. */
export const workerCount = Math.max(cores, Math.min(3 * cores, 8));
