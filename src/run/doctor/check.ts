// One thing a doctor looked at.
import { fixes } from './fixes.js';

export type Category = 'tools' | 'harness' | 'runtime' | 'fixtures' | 'isolation' | 'secrets';

/** Its category is what its id begins with. */
export type CheckId = `${Category}.${string}`;

export type Check = {
  id: CheckId;
  status: 'pass' | 'fail' | 'warn' | 'skip';
  category: Category;
  message: string;
  /** What to do next; every check that failed has one. */
  fix?: string;
};

export function passed(id: CheckId, message: string): Check {
  return { id, status: 'pass', category: categoryOf(id), message };
}

/** It was not looked at, or does not matter here. */
export function skipped(id: CheckId, message: string): Check {
  return { ...passed(id, message), status: 'skip' };
}

export function failed(id: CheckId, message: string, fix = fixFor(id)): Check {
  return { ...passed(id, message), status: 'fail', fix };
}

/** Recipes can run, though not all of them, or not as well as they could. */
export function warned(id: CheckId, message: string, fix = fixFor(id)): Check {
  return { ...failed(id, message, fix), status: 'warn' };
}

function categoryOf(id: CheckId): Category {
  return id.slice(0, id.indexOf('.')) as Category;
}

function fixFor(id: CheckId): string {
  const fix = fixes[id];
  if (fix === undefined) throw new Error(`There is no fix for ${id}.`);
  return fix;
}
