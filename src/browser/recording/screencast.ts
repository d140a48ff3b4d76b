// Collects the frames of one video from a page, with limits for time, rate and size.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { isProductPage } from './nodeScreenshots.js';

export const screencastLimits = { ms: 60_000, bytes: 20_000_000, width: 1_280 } as const;

export type ScreencastFrame = { atMs: number; data: Buffer; width: number; height: number };

/** `wasCut`: the recording was longer than the limit. */
export type ScreencastResult = { frames: readonly ScreencastFrame[]; lengthMs: number; wasCut: boolean };

type PlaywrightFrame = { data: Buffer; timestamp: number; viewportWidth: number; viewportHeight: number };

const stopTimeoutMs = 1_000;

export class Screencast {
  private frames: ScreencastFrame[] = [];
  private bytes = 0;
  private minGapMs = 100;
  private startedAt: number | undefined;
  private page: Page | undefined;
  private wasCut = false;
  private isPaused = false;
  private pausedUntil = 0;

  /** Records this page from now on, instead of the previous one. */
  async start(page: Page): Promise<void> {
    if (page === this.page || page.isClosed()) return;
    await this.stop();
    this.page = page;
    const { width, height } = page.viewportSize() ?? { width: screencastLimits.width, height: screencastLimits.width };
    const scale = Math.min(1, screencastLimits.width / width);
    const size = { width: toEvenSize(width * scale), height: toEvenSize(height * scale) };
    await page.screencast.start({ onFrame: (frame) => this.addFrame(frame, page), size, quality: 75 });
  }

  /** Drops frames that were drawn during the pause, even if they arrive after it. */
  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (!isPaused) this.pausedUntil = wallNow();
  }

  async end(): Promise<ScreencastResult> {
    await this.stop();
    const lengthMs = this.startedAt === undefined ? 0 : systemClock.now() - this.startedAt;
    return { frames: this.frames, lengthMs: Math.min(screencastLimits.ms, Math.round(lengthMs)), wasCut: this.wasCut };
  }

  // The page may have crashed and never answer.
  private async stop(): Promise<void> {
    const page = this.page;
    this.page = undefined;
    if (page && !page.isClosed()) await succeedsWithin(systemClock, stopTimeoutMs, page.screencast.stop());
  }

  private addFrame({ data, timestamp, viewportWidth, viewportHeight }: PlaywrightFrame, page: Page): void {
    const isDropped = this.isPaused || timestamp <= this.pausedUntil;
    if (page !== this.page || isDropped || !isProductPage(page)) return;
    const now = systemClock.now();
    this.startedAt ??= now;
    const atMs = Math.round(now - this.startedAt);
    this.wasCut ||= atMs > screencastLimits.ms;
    if (this.wasCut) return;
    this.storeFrame({ atMs, data, width: viewportWidth, height: viewportHeight });
  }

  // When frames come too fast, a frame replaces the previous one, because the latest frame shows the final state.
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

// The timestamps of frames are wall-clock times.
function wallNow(): number {
  return performance.timeOrigin + systemClock.now();
}

/** Video encoders need even sizes. */
export function toEvenSize(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}
