// Reads the data in Playwright's HTML report.
import { readFileSync } from 'node:fs';
import { unzip } from './zip.js';

type Place = { file: string; line: number; column: number };
export type HtmlStep = {
  title: string;
  subtitle?: string;
  location?: Place;
  snippet?: string;
  skipped?: boolean;
  error?: string;
  steps: HtmlStep[];
};
export type HtmlTest = {
  title: string;
  path: string[];
  location: Place;
  results: { steps: HtmlStep[]; errors: { message: string; codeframe?: string }[] }[];
};
type HtmlFile = { fileName: string; tests: HtmlTest[] };

export function readHtmlReport(file: string): HtmlFile[] {
  const [, base64 = ''] = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(readFileSync(file, 'utf8')) ?? [];
  const files = unzip(Buffer.from(base64, 'base64'));
  return [...files].filter(([name]) => name !== 'report.json').map(([, content]) => JSON.parse(content.toString()) as HtmlFile);
}

/** Returns all steps, including nested ones. */
export function stepsOf(steps: readonly HtmlStep[]): HtmlStep[] {
  return steps.flatMap((step) => [step, ...stepsOf(step.steps)]);
}

export function findStep(steps: readonly HtmlStep[], title: string | RegExp): HtmlStep {
  const match = stepsOf(steps).find((step) => (typeof title === 'string' ? step.title === title : title.test(step.title)));
  if (!match)
    throw new Error(
      `There is no step ${title}. Steps: ${stepsOf(steps)
        .map((step) => step.title)
        .join(', ')}.`,
    );
  return match;
}
