// Checks one recipe with the built package, limits raised, and prints how long that took: node timeLongRecipe.mjs <file>
import path from 'node:path';
import { checkFile, officialActions } from '../../dist/index.js';

const [, , file = ''] = process.argv;
const limits = { bytes: 100_000_000, nodes: 200_000 };
const started = performance.now();
const { findings } = checkFile(file, { vocabulary: officialActions, projectRoot: path.dirname(file), limits });
console.log(JSON.stringify({ ms: performance.now() - started, findings }));
