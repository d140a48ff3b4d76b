// The frames of one video, as the page gives them: bounded in time, rate and size.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { withinMs } from '../hud/withinMs.js';
import { isRealPage } from './shots.js';

export const filmLimits = { ms: 60_000, bytes: 20_000_000, width: 1_280 } as const;

export type FilmFrame = { atMs: number; data: Buffer; width: number; height: number };

/** `wasCut`: it was longer than a film may be. */
export type Footage = { frames: readonly FilmFrame[]; lengthMs: number; wasCut: boolean };

/** What Playwright hands over. */
type Given = { data: Buffer; timestamp: number; viewportWidth: number; viewportHeight: number };

const stopMs = 1_000;

export class Film {
  private frames: FilmFrame[] = [];
  private bytes = 0;
  private gapMs = 100;
  private began: number | undefined;
  private page: Page | undefined;
  private wasCut = false;
  private isHeld = false;
  private heldUntil = 0;

  /** Films a page from now on, in place of the one before. */
  async roll(page: Page): Promise<void> {
    if (page === this.page || page.isClosed()) return;
    await this.halt();
    this.page = page;
    const { width, height } = page.viewportSize() ?? { width: filmLimits.width, height: filmLimits.width };
    const scale = Math.min(1, filmLimits.width / width);
    const size = { width: even(width * scale), height: even(height * scale) };
    await page.screencast.start({ onFrame: (frame) => this.take(frame, page), size, quality: 75 });
  }

  /** Drops what is shown until the hold is over, also when it arrives later. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld) this.heldUntil = wallNow();
  }

  async end(): Promise<Footage> {
    await this.halt();
    const length = this.began === undefined ? 0 : systemClock.now() - this.began;
    return { frames: this.frames, lengthMs: Math.min(filmLimits.ms, Math.round(length)), wasCut: this.wasCut };
  }

  // A page that crashed or closed stops by itself, and may never say so.
  private async halt(): Promise<void> {
    const page = this.page;
    this.page = undefined;
    if (page && !page.isClosed()) await withinMs(systemClock, stopMs, page.screencast.stop());
  }

  private take({ data, timestamp, viewportWidth, viewportHeight }: Given, page: Page): void {
    const isHeld = this.isHeld || timestamp <= this.heldUntil;
    if (page !== this.page || isHeld || !isRealPage(page)) return;
    const now = systemClock.now();
    this.began ??= now;
    const atMs = Math.round(now - this.began);
    this.wasCut ||= atMs > filmLimits.ms;
    if (this.wasCut) return;
    this.keep({ atMs, data, width: viewportWidth, height: viewportHeight });
  }

  // The last of those that come too fast counts: it shows what the page came to.
  private keep(frame: FilmFrame): void {
    const last = this.frames.at(-1);
    this.bytes += frame.data.length;
    if (last && frame.atMs - last.atMs < this.gapMs) {
      this.bytes -= last.data.length;
      this.frames[this.frames.length - 1] = { ...frame, atMs: last.atMs };
    } else this.frames.push(frame);
    while (this.bytes > filmLimits.bytes && this.frames.length > 1) this.thin();
  }

  private thin(): void {
    this.gapMs *= 2;
    this.frames = this.frames.filter((_, index) => index % 2 === 0);
    this.bytes = this.frames.reduce((sum, { data }) => sum + data.length, 0);
  }
}

// Frames are stamped with the time of the wall.
function wallNow(): number {
  return performance.timeOrigin + systemClock.now();
}

function even(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}
