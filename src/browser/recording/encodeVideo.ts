// Encodes screencast frames as a WebM video (VP9), in a page of a Chromium, with their original timing.
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { type EncoderPage, openInOwnBrowser } from './encoderPage.js';
import type { ScreencastFrame } from './screencast.js';

export type VideoInput = { frames: readonly ScreencastFrame[]; lengthMs: number; width: number; height: number };

type EncodeOptions = {
  /** Opens the page to encode in. The signal is aborted when the page is no longer needed. */
  open(signal: AbortSignal): Promise<EncoderPage>;
  /** The timeout for opening the page, and for each call in it. */
  limitMs?: number | undefined;
  /** The time for encoding the frames. When it gets short, frames are skipped. */
  framesMs?: number | undefined;
  /** Aborted when the video is no longer needed. */
  signal?: AbortSignal | undefined;
};

export type EncodeResult = { video: Buffer } | { problem: string };

const defaultLimitMs = 20_000;
/** The timeout for everything together, as a multiple of `limitMs`. */
const totalLimitFactor = 3;
const defaultFramesMs = 12_000;
const closeMs = 1_000;

/** VP9 level 5.1, which covers all screen sizes. */
const codec = 'vp09.00.51.08';
const bitrate = 1_000_000;
/** Seeking in a video decodes everything since the last key frame. */
const keyFrameEveryMs = 5_000;
/** Characters of base64 per call. */
const batchSize = 1_000_000;

export async function encodeVideo(input: VideoInput, options: EncodeOptions): Promise<EncodeResult> {
  const deadline = systemClock.now() + (options.framesMs ?? defaultFramesMs);
  try {
    const chunks = await withEncoderPage((page) => encodeChunks(page, input, deadline), options);
    return { video: await muxChunks(chunks, input) };
  } catch (thrown) {
    return { problem: firstLineOf(thrown) };
  }
}

/** Undefined when this Chromium can encode videos. */
export async function findVideoProblem(program: string): Promise<string | undefined> {
  const open = (signal: AbortSignal): Promise<EncoderPage> => openInOwnBrowser(program, signal);
  try {
    return await withEncoderPage((page) => page.call(startEncoder, { codec, width: 1_280, height: 720, bitrate }), { open });
  } catch (thrown) {
    return firstLineOf(thrown);
  }
}

function firstLineOf(thrown: unknown): string {
  return (thrown as Error).message.split('\n')[0] ?? '';
}

/** @throws also on a timeout and on abort */
async function withEncoderPage<R>(work: (page: EncoderPage) => Promise<R>, options: EncodeOptions): Promise<R> {
  const { open, limitMs = defaultLimitMs, signal } = options;
  const opener = new AbortController();
  const opening = open(opener.signal);
  const latestEnd = systemClock.now() + totalLimitFactor * limitMs;
  let stopWatching = (): void => undefined;
  let restartTimer = (): void => undefined;
  const timedOut = new Promise<never>((_, reject) => {
    let cancelTimer = (): void => undefined;
    restartTimer = () => {
      cancelTimer();
      const leftMs = Math.max(0, Math.min(limitMs, latestEnd - systemClock.now()));
      cancelTimer = systemClock.after(leftMs, () => reject(new Error(`the encoder did not answer within ${limitMs} ms`)));
    };
    restartTimer();
    const interrupt = (): void => reject(new Error('the run was interrupted'));
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted) interrupt();
    stopWatching = () => {
      restartTimer = () => undefined;
      cancelTimer();
      signal?.removeEventListener('abort', interrupt);
    };
  });
  try {
    const withNewTimer = <T>(answer: T): T => {
      restartTimer();
      return answer;
    };
    const finished = opening
      .then(withNewTimer)
      .then((page) => work({ close: page.close, call: async (code, argument) => withNewTimer(await page.call(code, argument)) }));
    return await Promise.race([timedOut, finished]);
  } finally {
    stopWatching();
    opener.abort();
    // Rejected when the page never opened; then there is nothing to close.
    const closing = opening.then((page) => page.close()).catch(() => undefined);
    await succeedsWithin(systemClock, signal?.aborted ? 0 : closeMs, closing);
  }
}

async function encodeChunks(page: EncoderPage, video: VideoInput, deadline: number): Promise<EncodedChunk[]> {
  const { frames, lengthMs, width, height } = video;
  const problem = await page.call(startEncoder, { codec, width, height, bitrate });
  if (problem !== undefined) throw new Error(problem);
  const chunks: EncodedChunk[] = [];
  const startedAt = systemClock.now();
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  const inputOf = ({ atMs, data }: Pick<ScreencastFrame, 'atMs' | 'data'>): FrameInput => {
    const isKey = atMs - lastKeyMs >= keyFrameEveryMs;
    if (isKey) lastKeyMs = atMs;
    return { atMs, data: data.toString('base64'), isKey };
  };
  const lastIndex = frames.length - 1;
  let encodedCount = 0;
  let step = 1;
  for (let index = 0; index <= lastIndex; ) {
    const batch: FrameInput[] = [];
    for (let size = 0; index <= lastIndex && size < batchSize; ) {
      const input = inputOf(frames[index] as ScreencastFrame);
      batch.push(input);
      size += input.data.length;
      index = index === lastIndex ? index + 1 : Math.min(index + step, lastIndex);
    }
    chunks.push(...(await page.call(encodeFrames, batch)));
    encodedCount += batch.length;
    const now = systemClock.now();
    const neededMs = (lastIndex + 1 - index) * ((now - startedAt) / encodedCount);
    step = Math.max(1, Math.ceil(neededMs / Math.max(1, deadline - now)));
  }
  // The last frame is repeated at the end: players take the time of the last frame as the length of the video.
  const lastFrame = frames[lastIndex] as ScreencastFrame;
  if (lengthMs > lastFrame.atMs)
    chunks.push(...(await page.call(encodeFrames, [inputOf({ atMs: lengthMs, data: lastFrame.data })])));
  return [...chunks, ...(await page.call(endEncoder, undefined))];
}

async function muxChunks(chunks: readonly EncodedChunk[], { width, height }: VideoInput): Promise<Buffer> {
  const { ArrayBufferTarget, Muxer } = await import('webm-muxer');
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: 'V_VP9', width, height } });
  for (const { atUs, data, isKey } of chunks)
    muxer.addVideoChunkRaw(new Uint8Array(Buffer.from(data, 'base64')), isKey ? 'key' : 'delta', atUs);
  muxer.finalize();
  return Buffer.from(target.buffer);
}

// The next three functions run in the encoder page, without access to this module. They share state through the window.

type EncoderSettings = { codec: string; width: number; height: number; bitrate: number };

/** `data`: a JPEG as base64. */
type FrameInput = { atMs: number; data: string; isKey: boolean };

/** `data`: base64. */
type EncodedChunk = { atUs: number; data: string; isKey: boolean };

/** Returns why this browser cannot encode, or undefined. */
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
      // More arguments in one call would overflow the stack.
      for (let start = 0; start < bytes.length; start += 32_768)
        text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
      state.chunks.push({ atUs: chunk.timestamp, data: btoa(text), isKey: chunk.type === 'key' });
    },
    error: (error) => {
      state.error = error;
    },
  });
  state.encoder.configure(config);
  return undefined;
};

/** Returns the chunks that are ready since the last call. */
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
    // Limits the queue, as each frame takes megabytes. A failed encoder no longer empties it.
    while (encoder.encodeQueueSize > 4 && !state.error)
      await new Promise((resolve) => {
        encoder.addEventListener('dequeue', resolve, { once: true });
        setTimeout(resolve, 100);
      });
    if (state.error) throw state.error;
  }
  return state.chunks.splice(0);
};

/** Returns the remaining chunks. */
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
