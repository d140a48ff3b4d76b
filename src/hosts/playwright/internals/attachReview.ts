// Puts the review page into Playwright's HTML report, which names each copied attachment after the SHA-1 of its bytes.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/reporters/html.ts
// If Playwright changes these names, the page still opens, but without its pictures.
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { TestResult } from '@playwright/test/reporter';
import { type PackageSlot, packageName } from '../../../evidence/packageDirs.js';
import type { WrittenPackage } from '../../../evidence/writePackage.js';
import { href } from '../../../pages/html.js';
import { claimDirectory, readBytesIfThere, resolveInside, writeFileAtomically } from '../../../system/files/files.js';

type ReviewAttachment = { slot: PackageSlot; title: string };

export function attachReview(
  result: TestResult,
  { slot, title }: ReviewAttachment,
  written: WrittenPackage & { dir: string },
): void {
  const page = readBytesIfThere(join(written.dir, 'review.html'))?.toString();
  const dir = resolveInside(slot.outputDir, `.report/${packageName(slot)}/${slot.attempt}`);
  if (page === undefined || dir === undefined) return;
  claimDirectory(dir);
  const path = join(dir, 'review.html');
  writeFileAtomically(path, linkToReportFiles(page, written), { isFlushed: false });
  const others = result.attachments.filter((attachment) => attachment.name !== title);
  // All reporters share this list, so it is changed in place.
  result.attachments.splice(0, result.attachments.length, ...others, { name: title, contentType: 'text/html', path });
}

const mediaFile = /\.(png|jpe?g|gif|webp|avif|webm|mp4)$/i;

/** Links pictures and videos by their names in the report, and removes the links to files that are not in it. */
function linkToReportFiles(page: string, { dir, manifest }: WrittenPackage & { dir: string }): string {
  const names = new Map(
    manifest.artifacts.map(({ path }) => [href(path), mediaFile.test(path) ? createReportName(dir, path) : undefined]),
  );
  names.set(href('artifact-manifest.json'), undefined);
  return page.replace(/ (src|href)="(\.\/[^"]*)"/g, (match, attribute: string, link: string) => {
    if (!names.has(link)) return match;
    const name = names.get(link);
    return name === undefined ? '' : ` ${attribute}="./${name}"`;
  });
}

function createReportName(dir: string, path: string): string | undefined {
  const bytes = readBytesIfThere(join(dir, path));
  return bytes && `${createHash('sha1').update(bytes).digest('hex')}${extname(path)}`;
}
