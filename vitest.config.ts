import { defineConfig } from 'vitest/config';

export default defineConfig({
  // What drives a browser or a test runner takes its time on a busy machine.
  test: { include: ['test/{unit,property,contract,faults,browser,vitest}/**/*.test.ts'], testTimeout: 120_000 },
});
