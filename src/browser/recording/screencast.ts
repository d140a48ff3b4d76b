// The frames of one video, as the page gives them: bounded in time, rate and size.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { isProductPage } from './nodeScreenshots.js';

export const screencastLimits = { ms: 60_000, bytes: 20_000_000, width: 1_280 } as const;

export type ScreencastFrame = { atMs: number; data: Buffer; width: number; height: number };

/** `wasCut`: it was longer than a film may be. */
export type ScreencastResult = { frames: readonly ScreencastFrame[]; lengthMs: number; wasCut: boolean };

/** What Playwright hands over. */
type PlaywrightFrame = { data: Buffer; timestamp: number; viewportWidth: number; viewportHeight: number };

const stopTimeoutMs = 1_000;

export class Screencast {
  private frames: ScreencastFrame[] = [];
  private bytes = 0;
  private minGapMs = 100;
  private began: number | undefined;
  private page: Page | undefined;
  private wasCut = false;
  private isPaused = false;
  private pausedUntil = 0;

  /** Films a page from now on, in place of the one before. */
  async start(page: Page): Promise<void> {
    if (page === this.page || page.isClosed()) return;
    await this.stop();
    this.page = page;
    const { width, height } = page.viewportSize() ?? { width: screencastLimits.width, height: screencastLimits.width };
    const scale = Math.min(1, screencastLimits.width / width);
    const size = { width: toEven(width * scale), height: toEven(height * scale) };
    await page.screencast.start({ onFrame: (frame) => this.addFrame(frame, page), size, quality: 75 });
  }

  /** Drops what is shown until the hold is over, also when it arrives later. */
  setPaused(isHeld: boolean): void {
    this.isPaused = isHeld;
    if (!isHeld) this.pausedUntil = wallNow();
  }

  async end(): Promise<ScreencastResult> {
    await this.stop();
    const length = this.began === undefined ? 0 : systemClock.now() - this.began;
    return { frames: this.frames, lengthMs: Math.min(screencastLimits.ms, Math.round(length)), wasCut: this.wasCut };
  }

  // A page that crashed or closed stops by itself, and may never say so.
  private async stop(): Promise<void> {
    const page = this.page;
    this.page = undefined;
    if (page && !page.isClosed()) await succeedsWithin(systemClock, stopTimeoutMs, page.screencast.stop());
  }

  private addFrame({ data, timestamp, viewportWidth, viewportHeight }: PlaywrightFrame, page: Page): void {
    const isHeld = this.isPaused || timestamp <= this.pausedUntil;
    if (page !== this.page || isHeld || !isProductPage(page)) return;
    const now = systemClock.now();
    this.began ??= now;
    const atMs = Math.round(now - this.began);
    this.wasCut ||= atMs > screencastLimits.ms;
    if (this.wasCut) return;
    this.storeFrame({ atMs, data, width: viewportWidth, height: viewportHeight });
  }

  // The last of those that come too fast counts: it shows what the page came to.
  private storeFrame(frame: ScreencastFrame): void {
    const last = this.frames.at(-1);
    this.bytes += frame.data.length;
    if (last && frame.atMs - last.atMs < this.minGapMs) {
      this.bytes -= last.data.length;
      this.frames[this.frames.length - 1] = { ...frame, atMs: last.atMs };
    } else this.frames.push(frame);
    while (this.bytes > screencastLimits.bytes && this.frames.length > 1) this.halveFrames();
  }

  private halveFrames(): void {
    this.minGapMs *= 2;
    this.frames = this.frames.filter((_, index) => index % 2 === 0);
    this.bytes = this.frames.reduce((sum, { data }) => sum + data.length, 0);
  }
}

// Frames are stamped with the time of the wall.
function wallNow(): number {
  return performance.timeOrigin + systemClock.now();
}

function toEven(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}
