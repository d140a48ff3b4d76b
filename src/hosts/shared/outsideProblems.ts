// What makes the run of a host fail outside of its recipes, in sentences for the index.
const mostNamed = 5;

/** `errors` belong to no test, `failed` are tests that are no recipes. */
export type OutsideProblems = {
  errors: readonly string[];
  failed: readonly string[];
  isTimedOut?: boolean;
  isInterrupted?: boolean;
};

export function outsideProblems({ errors, failed, isTimedOut = false, isInterrupted = false }: OutsideProblems): string[] {
  const more = failed.length > mostNamed ? ` and ${failed.length - mostNamed} more` : '';
  const told = [
    ...errors,
    ...(failed.length > 0
      ? [`${failed.length} of its other tests did not pass: ${failed.slice(0, mostNamed).join(', ')}${more}.`]
      : []),
    ...(isTimedOut ? ['Its time was over.'] : []),
    ...(isInterrupted ? ['It was interrupted.'] : []),
  ];
  return told.map(failedBecause);
}

export function failedBecause(why: string): string {
  return `The host's run failed: ${why}`;
}
