// Makes Playwright's JUnit report count a refuted recipe as a failure. The report counts a message without `expect(…).matcher` as an error.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/reporters/junit.ts
// If Playwright changes that rule, the report lists the recipe as an error.

/** `id`: the name of the refuted recipe. */
export function markAsFailedExpectation(error: Error, id: string): void {
  const { message, stack } = error;
  error.message = `${message}\n\nexpect(${id}).toPass()`;
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
}
