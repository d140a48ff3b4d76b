import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/{unit,property,contract,faults,browser,vitest}/**/*.test.ts'], testTimeout: 120_000 },
});
