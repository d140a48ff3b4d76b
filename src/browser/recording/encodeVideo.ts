// Encodes the frames of a film as a WebM video (VP9) in a page, with the times at which they were shown.
import { systemClock } from '../../system/clock.js';
import { importModule } from '../../system/importModule.js';
import { withinMs } from '../hud/withinMs.js';
import { type EncodedChunk, encodeFrames, endEncoder, type FrameInput, startEncoder } from './encodeInPage.js';
import { type EncoderPage, openInOwnBrowser } from './encoderPage.js';
import type { FilmFrame } from './film.js';

export type Reel = { frames: readonly FilmFrame[]; lengthMs: number; width: number; height: number };

export type EncodeOptions = {
  /** Opens the page to encode in; the signal says that nobody waits for it any more. */
  open(signal: AbortSignal): Promise<EncoderPage>;
  /** How long it may take to open the page, and to answer each message: what takes longer hangs. */
  limitMs?: number | undefined;
  /** How long frames are encoded one by one; what takes longer leaves some of them out. */
  framesMs?: number | undefined;
  /** Nobody waits for the video any more. */
  signal?: AbortSignal | undefined;
};

export type Encoded = { video: Buffer } | { problem: string };

const usualLimitMs = 20_000;
/** In all, as many times the limit. */
const mostLimits = 3;
const usualFramesMs = 12_000;
const closeMs = 1_000;

/** Level 5.1 allows every size that a screen has. */
const codec = 'vp09.00.51.08';
const bitrate = 1_000_000;
/** A player that jumps to a moment decodes everything since the key frame before it. */
const keyFrameEveryMs = 5_000;
/** Characters of base64 in one message. */
const batchSize = 1_000_000;

export async function encodeVideo(reel: Reel, options: EncodeOptions): Promise<Encoded> {
  const deadline = systemClock.now() + (options.framesMs ?? usualFramesMs);
  try {
    const chunks = await inEncoderPage((page) => encode(page, reel, deadline), options);
    return { video: await mux(chunks, reel) };
  } catch (thrown) {
    return { problem: firstLineOf(thrown) };
  }
}

/** Why this Chromium encodes no videos, if it does not. */
export async function findVideoProblem(program: string): Promise<string | undefined> {
  const open = (over: AbortSignal): Promise<EncoderPage> => openInOwnBrowser(program, over);
  try {
    return await inEncoderPage((page) => page.call(startEncoder, { codec, width: 1_280, height: 720, bitrate }), { open });
  } catch (thrown) {
    return firstLineOf(thrown);
  }
}

function firstLineOf(thrown: unknown): string {
  return (thrown as Error).message.split('\n')[0] ?? '';
}

/** @throws also when its time is over or nobody waits for it */
async function inEncoderPage<R>(work: (page: EncoderPage) => Promise<R>, options: EncodeOptions): Promise<R> {
  const { open, limitMs = usualLimitMs, signal } = options;
  const over = new AbortController();
  const opening = open(over.signal);
  const latest = systemClock.now() + mostLimits * limitMs;
  let [stop, waitAgain] = [(): void => undefined, (): void => undefined];
  const stopped = new Promise<never>((_, reject) => {
    let withdraw = (): void => undefined;
    waitAgain = () => {
      withdraw();
      const leftMs = Math.max(0, Math.min(limitMs, latest - systemClock.now()));
      withdraw = systemClock.after(leftMs, () => reject(new Error(`the encoder did not answer within ${limitMs} ms`)));
    };
    waitAgain();
    const interrupt = (): void => reject(new Error('the run was interrupted'));
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted) interrupt();
    stop = () => {
      waitAgain = () => undefined;
      withdraw();
      signal?.removeEventListener('abort', interrupt);
    };
  });
  try {
    const answered = <T>(answer: T): T => {
      waitAgain();
      return answer;
    };
    const started = opening
      .then(answered)
      .then((page) => work({ close: page.close, call: async (code, argument) => answered(await page.call(code, argument)) }));
    return await Promise.race([stopped, started]);
  } finally {
    stop();
    over.abort();
    // Rejected when it never opened, so that there is nothing to close.
    const closing = opening.then((page) => page.close()).catch(() => undefined);
    await withinMs(systemClock, signal?.aborted ? 0 : closeMs, closing);
  }
}

async function encode(page: EncoderPage, reel: Reel, deadline: number): Promise<EncodedChunk[]> {
  const { frames, lengthMs, width, height } = reel;
  const problem = await page.call(startEncoder, { codec, width, height, bitrate });
  if (problem !== undefined) throw new Error(problem);
  const chunks: EncodedChunk[] = [];
  const began = systemClock.now();
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  const inputOf = ({ atMs, data }: Pick<FilmFrame, 'atMs' | 'data'>): FrameInput => {
    const isKey = atMs - lastKeyMs >= keyFrameEveryMs;
    if (isKey) lastKeyMs = atMs;
    return { atMs, data: data.toString('base64'), isKey };
  };
  const last = frames.length - 1;
  let [done, step] = [0, 1];
  for (let at = 0; at <= last; ) {
    const batch: FrameInput[] = [];
    for (let size = 0; at <= last && size < batchSize; ) {
      const input = inputOf(frames[at] as FilmFrame);
      batch.push(input);
      size += input.data.length;
      at = at === last ? at + 1 : Math.min(at + step, last);
    }
    chunks.push(...(await page.call(encodeFrames, batch)));
    done += batch.length;
    const now = systemClock.now();
    const neededMs = (last + 1 - at) * ((now - began) / done);
    step = Math.max(1, Math.ceil(neededMs / Math.max(1, deadline - now)));
  }
  // Shown once more at the end: a player takes the time of the last frame for the length of the video.
  const final = frames[last] as FilmFrame;
  if (lengthMs > final.atMs) chunks.push(...(await page.call(encodeFrames, [inputOf({ atMs: lengthMs, data: final.data })])));
  return [...chunks, ...(await page.call(endEncoder, undefined))];
}

async function mux(chunks: readonly EncodedChunk[], { width, height }: Reel): Promise<Buffer> {
  const { ArrayBufferTarget, Muxer } = await importModule<typeof import('webm-muxer')>('webm-muxer');
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: 'V_VP9', width, height } });
  for (const { atUs, data, isKey } of chunks)
    muxer.addVideoChunkRaw(new Uint8Array(Buffer.from(data, 'base64')), isKey ? 'key' : 'delta', atUs);
  muxer.finalize();
  return Buffer.from(target.buffer);
}
