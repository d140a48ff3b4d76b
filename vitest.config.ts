import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/{unit,property,contract,faults,browser}/**/*.test.ts'], testTimeout: 30_000 },
});
