// The files that are kept of a film: a video, or some of its frames where there cannot be one.
import type { Capture } from '../../evidence/journal.js';
import type { Encoded, Reel } from './encodeVideo.js';
import { type FilmFrame, type Footage, filmLimits } from './film.js';
import type { ProofWindow } from './proofWindow.js';
import { fileName } from './shots.js';

/** The node that the window began with. */
export type VideoCapture = Capture & { nodeId: string };

export type Developed = { captures: VideoCapture[]; problem?: string };

const mostFrames = 30;
/** A shorter video is over before a person has seen it. */
const shortestMs = 500;

/** `encode` is undefined when nobody waits for a video. */
export async function videoCaptures(
  window: ProofWindow,
  footage: Footage,
  encode: ((reel: Reel) => Promise<Encoded>) | undefined,
): Promise<Developed> {
  const { frames, lengthMs } = footage;
  const [first] = frames;
  if (!first) return { captures: [] };
  if (!encode) return { captures: asFrames(window, frames) };
  const scale = Math.min(1, filmLimits.width / first.width);
  const size = { width: even(first.width * scale), height: even(first.height * scale) };
  const encoded = await encode({ frames, lengthMs: Math.max(lengthMs, shortestMs), ...size });
  if ('problem' in encoded) return { captures: asFrames(window, frames), problem: encoded.problem };
  const label = `Video of ${nameOf(window)}${footage.wasCut ? `, its first ${filmLimits.ms / 1_000} s` : ''}`;
  const described = { type: 'video', category: 'evidence', label, mimeType: 'video/webm' };
  return {
    captures: [{ path: `videos/${fileName(nameOf(window))}.webm`, ...described, ...linksOf(window), body: encoded.video }],
  };
}

function asFrames(window: ProofWindow, frames: readonly FilmFrame[]): VideoCapture[] {
  const count = Math.min(mostFrames, frames.length);
  return Array.from({ length: count }, (_, index) => {
    const picked = frames[count === 1 ? 0 : Math.round((index * (frames.length - 1)) / (count - 1))] as FilmFrame;
    const path = `videos/${fileName(nameOf(window))}/frame-${String(index + 1).padStart(3, '0')}.jpg`;
    const label = `Frame ${index + 1} of ${count} of ${nameOf(window)}, at ${(picked.atMs / 1_000).toFixed(1)} s`;
    const described = { type: 'screenshot', category: 'evidence', label, mimeType: 'image/jpeg' };
    return { path, ...described, ...linksOf(window), body: picked.data };
  });
}

function linksOf({ nodeId, proofTarget }: ProofWindow): Pick<VideoCapture, 'nodeId' | 'proofTarget'> {
  return proofTarget === undefined ? { nodeId } : { nodeId, proofTarget };
}

function nameOf({ nodeId, proofTarget }: ProofWindow): string {
  return proofTarget ?? nodeId;
}

function even(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}
