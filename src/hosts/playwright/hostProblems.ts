// What makes a Playwright run fail outside of its recipes, in sentences for the index.
import { stripVTControlCharacters } from 'node:util';
import type { FullResult, TestCase, TestError } from '@playwright/test/reporter';
import { outsideProblems } from '../shared/outsideProblems.js';
import { identityOf } from './readResult.js';

export type HostFacts = {
  status: FullResult['status'];
  /** Errors that belong to no test. */
  errors: readonly string[];
  tests: readonly TestCase[];
};

export function hostProblems({ status, errors, tests }: HostFacts): string[] {
  if (status === 'passed') return [];
  const failed = tests
    .filter((test) => !identityOf(test) && !test.ok())
    .map((test) => test.titlePath().filter(Boolean).join(' › '));
  return outsideProblems({ errors, failed, isTimedOut: status === 'timedout', isInterrupted: status === 'interrupted' });
}

export function messageOf({ message, value }: TestError): string {
  const [first = ''] = stripVTControlCharacters(message ?? value ?? 'unknown error').split('\n');
  return first;
}
