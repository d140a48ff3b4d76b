// The review page in Playwright's HTML report, which copies every attachment beside it under the SHA-1 of its bytes.
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { TestResult } from '@playwright/test/reporter';
import { type PackageSlot, packageName } from '../../../evidence/packageDirs.js';
import type { WrittenPackage } from '../../../evidence/writePackage.js';
import { href } from '../../../pages/html.js';
import { claimDirectory, readBytesIfThere, resolveInside, writeFileAtomically } from '../../../system/files/files.js';

export type Reviewed = { slot: PackageSlot; title: string };

export function attachReview(result: TestResult, { slot, title }: Reviewed, built: WrittenPackage & { dir: string }): void {
  const page = readBytesIfThere(join(built.dir, 'review.html'))?.toString();
  const dir = resolveInside(slot.outputDir, `.report/${packageName(slot)}/${slot.attempt}`);
  if (page === undefined || dir === undefined) return;
  claimDirectory(dir);
  const path = join(dir, 'review.html');
  writeFileAtomically(path, besideOthers(page, built), { isFlushed: false });
  const others = result.attachments.filter((attachment) => attachment.name !== title);
  // The same list is in the hands of every reporter.
  result.attachments.splice(0, result.attachments.length, ...others, { name: title, contentType: 'text/html', path });
}

const shown = /\.(png|jpe?g|gif|webp|avif|webm|mp4)$/i;

/** Pictures and videos by the names that they have there; what is not there is no link. */
function besideOthers(page: string, { dir, manifest }: WrittenPackage & { dir: string }): string {
  const names = new Map(manifest.artifacts.map(({ path }) => [href(path), shown.test(path) ? nameThere(dir, path) : undefined]));
  names.set(href('artifact-manifest.json'), undefined);
  return page.replace(/ (src|href)="(\.\/[^"]*)"/g, (whole, attribute: string, link: string) => {
    if (!names.has(link)) return whole;
    const there = names.get(link);
    return there === undefined ? '' : ` ${attribute}="./${there}"`;
  });
}

function nameThere(dir: string, path: string): string | undefined {
  const bytes = readBytesIfThere(join(dir, path));
  return bytes && `${createHash('sha1').update(bytes).digest('hex')}${extname(path)}`;
}
