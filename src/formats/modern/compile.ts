// Modern Recipe v1: `workflow` at the top, `paramsSchema`, `proves`, recipes of a library in place of flows.
import type { Dialect } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { toClassic } from './toClassic.js';

export const recipeV1Modern: Dialect = {
  name: 'recipe-v1-modern',
  detect: ({ value }) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'workflow') && !Object.hasOwn(value, 'validate'),
  compile(document, resolve) {
    const { json, origin, authored, findings } = toClassic(document, resolve);
    if (!json) return { findings };
    const classic = compileClassic(json, { origin, file: document.file }, resolve);
    const all = [...findings, ...classic.findings];
    return classic.compiled ? { compiled: { ...classic.compiled, authored, findings: all }, findings: all } : { findings: all };
  },
};
