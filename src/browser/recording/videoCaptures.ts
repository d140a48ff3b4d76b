// What is kept of a film: a video where there is an ffmpeg, else some of its frames.
import type { Capture } from '../../actions/action.js';
import { encodeWebm } from '../../system/ffmpeg.js';
import { type FilmFrame, type Footage, filmLimits } from './film.js';
import type { ProofWindow } from './proofWindow.js';
import { fileName } from './shots.js';

/** The node that the window began with. */
export type VideoCapture = Capture & { nodeId: string };

export type Developed = { captures: VideoCapture[]; problem?: string };

const mostFrames = 30;
/** What is handed to ffmpeg at most; frames are repeated there for as long as they were shown. */
const mostBytes = 40_000_000;
const fastestRate = 10;

export async function videoCaptures(window: ProofWindow, footage: Footage, ffmpeg: string | undefined): Promise<Developed> {
  const { frames } = footage;
  const [first] = frames;
  if (!first) return { captures: [] };
  const problem = 'no ffmpeg was found in PATH or among the browsers of Playwright';
  if (ffmpeg === undefined) return { captures: asFrames(window, frames), problem };
  const encoded = await encodeWebm(ffmpeg, reel(footage, first));
  if ('problem' in encoded) return { captures: asFrames(window, frames), problem: encoded.problem };
  const label = `Video of ${nameOf(window)}${footage.wasCut ? `, its first ${filmLimits.ms / 1_000} s` : ''}`;
  const described = { type: 'video', category: 'evidence', label, mimeType: 'video/webm' };
  return {
    captures: [{ path: `videos/${fileName(nameOf(window))}.webm`, ...described, ...linksOf(window), body: encoded.video }],
  };
}

function reel({ frames, lengthMs }: Footage, { width, height }: FilmFrame): Parameters<typeof encodeWebm>[1] {
  const scale = Math.min(1, filmLimits.width / width);
  const seconds = Math.max(lengthMs, 500) / 1_000;
  const average = frames.reduce((sum, { data }) => sum + data.length, 0) / frames.length;
  const rate = Math.max(1, Math.min(fastestRate, Math.floor(mostBytes / (average * seconds))));
  const images: Buffer[] = [];
  let at = 0;
  for (let slot = 0; slot < Math.ceil(seconds * rate); slot++) {
    const untilMs = ((slot + 1) * 1_000) / rate;
    while (at + 1 < frames.length && (frames[at + 1] as FilmFrame).atMs < untilMs) at++;
    images.push((frames[at] as FilmFrame).data);
  }
  return { images, rate, width: even(width * scale), height: even(height * scale), mostBytes: filmLimits.bytes };
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
