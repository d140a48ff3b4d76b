// Checks whether Vitest is cancelling the run. The field `isCancelling` is marked @internal, as of Vitest 4.1.12:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/core.ts
import type { Vitest } from 'vitest/node';

export function isCancelling(vitest: Vitest | undefined): boolean {
  const { isCancelling = false } = Object(vitest) as { isCancelling?: boolean };
  return isCancelling;
}
