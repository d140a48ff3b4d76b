// Small temporary file systems for tests. Only root can mount them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Mounts a disk of this size, such as `64k`, and returns its directory. */
export function smallDisk(size: string): string {
  const dir = join(folder(), 'disk');
  mkdirSync(dir);
  mount(dir, size);
  onTestFinished(() => void execFileSync('umount', [dir]));
  return dir;
}

function mount(dir: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', dir], { stdio: 'pipe' });
}

/** Whether this user may mount file systems. In many containers even root may not. */
export const canMount = ((): boolean => {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  try {
    mount(dir, '4k');
    execFileSync('umount', [dir]);
    return true;
  } catch {
    // EPERM or ENOENT of mount(8).
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
})();
