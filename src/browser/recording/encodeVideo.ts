// Encodes the frames of a film as a WebM video (VP9) in a page, with the times at which they were shown.
import { systemClock } from '../../system/clock.js';
import { importModule } from '../../system/importModule.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { type EncoderPage, openInOwnBrowser } from './encoderPage.js';
import type { ScreencastFrame } from './screencast.js';

export type VideoInput = { frames: readonly ScreencastFrame[]; lengthMs: number; width: number; height: number };

type EncodeOptions = {
  /** Opens the page to encode in; the signal says that nobody waits for it any more. */
  open(signal: AbortSignal): Promise<EncoderPage>;
  /** How long it may take to open the page, and to answer each message: what takes longer hangs. */
  limitMs?: number | undefined;
  /** How long frames are encoded one by one; what takes longer leaves some of them out. */
  framesMs?: number | undefined;
  /** Nobody waits for the video any more. */
  signal?: AbortSignal | undefined;
};

export type EncodeResult = { video: Buffer } | { problem: string };

const defaultLimitMs = 20_000;
/** In all, as many times the limit. */
const totalLimitFactor = 3;
const defaultFramesMs = 12_000;
const closeMs = 1_000;

/** Level 5.1 allows every size that a screen has. */
const codec = 'vp09.00.51.08';
const bitrate = 1_000_000;
/** A player that jumps to a moment decodes everything since the key frame before it. */
const keyFrameEveryMs = 5_000;
/** Characters of base64 in one message. */
const batchSize = 1_000_000;

export async function encodeVideo(reel: VideoInput, options: EncodeOptions): Promise<EncodeResult> {
  const deadline = systemClock.now() + (options.framesMs ?? defaultFramesMs);
  try {
    const chunks = await withEncoderPage((page) => encodeChunks(page, reel, deadline), options);
    return { video: await muxChunks(chunks, reel) };
  } catch (thrown) {
    return { problem: firstLineOf(thrown) };
  }
}

/** Why this Chromium encodes no videos, if it does not. */
export async function findVideoProblem(program: string): Promise<string | undefined> {
  const open = (over: AbortSignal): Promise<EncoderPage> => openInOwnBrowser(program, over);
  try {
    return await withEncoderPage((page) => page.call(startEncoder, { codec, width: 1_280, height: 720, bitrate }), { open });
  } catch (thrown) {
    return firstLineOf(thrown);
  }
}

function firstLineOf(thrown: unknown): string {
  return (thrown as Error).message.split('\n')[0] ?? '';
}

/** @throws also when its time is over or nobody waits for it */
async function withEncoderPage<R>(work: (page: EncoderPage) => Promise<R>, options: EncodeOptions): Promise<R> {
  const { open, limitMs = defaultLimitMs, signal } = options;
  const over = new AbortController();
  const opening = open(over.signal);
  const latest = systemClock.now() + totalLimitFactor * limitMs;
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
    await succeedsWithin(systemClock, signal?.aborted ? 0 : closeMs, closing);
  }
}

async function encodeChunks(page: EncoderPage, reel: VideoInput, deadline: number): Promise<EncodedChunk[]> {
  const { frames, lengthMs, width, height } = reel;
  const problem = await page.call(startEncoder, { codec, width, height, bitrate });
  if (problem !== undefined) throw new Error(problem);
  const chunks: EncodedChunk[] = [];
  const began = systemClock.now();
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  const inputOf = ({ atMs, data }: Pick<ScreencastFrame, 'atMs' | 'data'>): FrameInput => {
    const isKey = atMs - lastKeyMs >= keyFrameEveryMs;
    if (isKey) lastKeyMs = atMs;
    return { atMs, data: data.toString('base64'), isKey };
  };
  const last = frames.length - 1;
  let [done, step] = [0, 1];
  for (let at = 0; at <= last; ) {
    const batch: FrameInput[] = [];
    for (let size = 0; at <= last && size < batchSize; ) {
      const input = inputOf(frames[at] as ScreencastFrame);
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
  const final = frames[last] as ScreencastFrame;
  if (lengthMs > final.atMs) chunks.push(...(await page.call(encodeFrames, [inputOf({ atMs: lengthMs, data: final.data })])));
  return [...chunks, ...(await page.call(endEncoder, undefined))];
}

async function muxChunks(chunks: readonly EncodedChunk[], { width, height }: VideoInput): Promise<Buffer> {
  const { ArrayBufferTarget, Muxer } = await importModule<typeof import('webm-muxer')>('webm-muxer');
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: 'V_VP9', width, height } });
  for (const { atUs, data, isKey } of chunks)
    muxer.addVideoChunkRaw(new Uint8Array(Buffer.from(data, 'base64')), isKey ? 'key' : 'delta', atUs);
  muxer.finalize();
  return Buffer.from(target.buffer);
}

// Functions that run in the page of the encoder, by their text. Each must stand by itself; they share what they leave in the page.

type EncoderSettings = { codec: string; width: number; height: number; bitrate: number };

/** `data`: a JPEG as base64. */
type FrameInput = { atMs: number; data: string; isKey: boolean };

/** `data`: base64. */
type EncodedChunk = { atUs: number; data: string; isKey: boolean };

/** What is wrong with this browser, if anything is. */
const startEncoder = async ({ codec, width, height, bitrate }: EncoderSettings): Promise<string | undefined> => {
  const page = globalThis as unknown as EncoderWindow;
  if (!page.VideoEncoder) return 'the browser has no VideoEncoder; Chromium has one since version 94';
  const config = { codec, width, height, bitrate, bitrateMode: 'variable', latencyMode: 'realtime', contentHint: 'text' };
  const { supported } = await page.VideoEncoder.isConfigSupported(config);
  if (!supported) return `the browser does not encode ${codec} of ${width}x${height}`;
  const state: EncoderState = {
    chunks: [],
    error: undefined,
    canvas: new page.OffscreenCanvas(width, height),
    encoder: undefined,
  };
  page.recipewrightEncoder = state;
  state.encoder = new page.VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      let text = '';
      // More arguments at once than this overflow the stack.
      for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
      state.chunks.push({ atUs: chunk.timestamp, data: btoa(text), isKey: chunk.type === 'key' });
    },
    error: (error) => {
      state.error = error;
    },
  });
  state.encoder.configure(config);
  return undefined;
};

/** Gives what has been encoded so far and was not given before. */
const encodeFrames = async (frames: FrameInput[]): Promise<EncodedChunk[]> => {
  const page = globalThis as unknown as EncoderWindow;
  const state = page.recipewrightEncoder;
  const { canvas, encoder } = state;
  if (!encoder) throw new Error('The encoder was not started.');
  for (const { atMs, data, isKey } of frames) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const picture = await page.createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
    const scale = Math.min(canvas.width / picture.width, canvas.height / picture.height);
    const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
    const context = canvas.getContext('2d', { alpha: false });
    // Black: the canvas has no alpha.
    context.clearRect(0, 0, canvas.width, canvas.height);
    const [left, top] = [Math.floor((canvas.width - width) / 2), Math.floor((canvas.height - height) / 2)];
    context.drawImage(picture, left, top, width, height);
    picture.close();
    const frame = new page.VideoFrame(canvas, { timestamp: atMs * 1_000 });
    encoder.encode(frame, { keyFrame: isKey });
    frame.close();
    // Each frame that waits takes megabytes. An encoder that failed takes none from the queue any more.
    while (encoder.encodeQueueSize > 4 && !state.error)
      await new Promise((resolve) => {
        encoder.addEventListener('dequeue', resolve, { once: true });
        setTimeout(resolve, 100);
      });
    if (state.error) throw state.error;
  }
  return state.chunks.splice(0);
};

/** Gives the rest. */
const endEncoder = async (): Promise<EncodedChunk[]> => {
  const state = (globalThis as unknown as EncoderWindow).recipewrightEncoder;
  await state.encoder?.flush();
  state.encoder?.close();
  return state.chunks.splice(0);
};

type EncoderState = {
  chunks: EncodedChunk[];
  error: Error | undefined;
  canvas: EncoderCanvas;
  encoder: PageVideoEncoder | undefined;
};

type EncoderImage = { width: number; height: number; close(): void };

type EncoderCanvas = {
  width: number;
  height: number;
  getContext(
    kind: '2d',
    options: { alpha: boolean },
  ): {
    clearRect(left: number, top: number, width: number, height: number): void;
    drawImage(picture: EncoderImage, left: number, top: number, width: number, height: number): void;
  };
};

type PageVideoEncoder = {
  encodeQueueSize: number;
  configure(config: object): void;
  encode(frame: object, options: { keyFrame: boolean }): void;
  flush(): Promise<void>;
  close(): void;
  addEventListener(name: 'dequeue', listener: (event: unknown) => void, options: { once: boolean }): void;
};

type PageVideoChunk = { byteLength: number; timestamp: number; type: 'key' | 'delta'; copyTo(bytes: Uint8Array): void };

type EncoderWindow = {
  recipewrightEncoder: EncoderState;
  OffscreenCanvas: new (width: number, height: number) => EncoderCanvas;
  createImageBitmap(blob: Blob): Promise<EncoderImage>;
  VideoFrame: new (canvas: EncoderCanvas, options: { timestamp: number }) => { close(): void };
  VideoEncoder?: {
    new (listeners: { output(chunk: PageVideoChunk): void; error(error: Error): void }): PageVideoEncoder;
    isConfigSupported(config: object): Promise<{ supported: boolean }>;
  };
};
