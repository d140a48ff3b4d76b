// How many workers a test command has.
import { availableParallelism } from 'node:os';

/** Most tests wait for a browser or a process most of the time: with one worker per core, half of the machine is idle. */
export const workers = Math.ceil(availableParallelism() * Number(process.env.RECIPEWRIGHT_PER_CORE ?? 2));
