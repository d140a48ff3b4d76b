import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';

test('a recipe runs in a window that is already open and leaves it open', async ({ baseURL }, testInfo) => {
  const env = { ...process.env, SHOP_URL: baseURL };
  const { stdout } = await promisify(execFile)('node', ['attach.mjs', testInfo.outputPath('evidence')], { env });
  expect(stdout).toContain('AC5 proven');
  expect(stdout).toContain('The window is still open: Morning Goods.');
});
