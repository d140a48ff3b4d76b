// Functions that run in the page of the encoder, by their text. Each must stand by itself; they share what they leave in the page.

export type Settings = { codec: string; width: number; height: number; bitrate: number };

/** `data`: a JPEG as base64. */
export type FrameInput = { atMs: number; data: string; isKey: boolean };

/** `data`: base64. */
export type EncodedChunk = { atUs: number; data: string; isKey: boolean };

/** What is wrong with this browser, if anything is. */
export const startEncoder = async ({ codec, width, height, bitrate }: Settings): Promise<string | undefined> => {
  const page = globalThis as unknown as EncodingPage;
  if (!page.VideoEncoder) return 'the browser has no VideoEncoder; Chromium has one since version 94';
  const config = { codec, width, height, bitrate, bitrateMode: 'variable', latencyMode: 'realtime', contentHint: 'text' };
  const { supported } = await page.VideoEncoder.isConfigSupported(config);
  if (!supported) return `the browser does not encode ${codec} of ${width}x${height}`;
  const state: State = { chunks: [], error: undefined, canvas: new page.OffscreenCanvas(width, height), encoder: undefined };
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
export const encodeFrames = async (frames: FrameInput[]): Promise<EncodedChunk[]> => {
  const page = globalThis as unknown as EncodingPage;
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
export const endEncoder = async (): Promise<EncodedChunk[]> => {
  const state = (globalThis as unknown as EncodingPage).recipewrightEncoder;
  await state.encoder?.flush();
  state.encoder?.close();
  return state.chunks.splice(0);
};

type State = {
  chunks: EncodedChunk[];
  error: Error | undefined;
  canvas: Canvas;
  encoder: Encoder | undefined;
};

type Picture = { width: number; height: number; close(): void };

type Canvas = {
  width: number;
  height: number;
  getContext(
    kind: '2d',
    options: { alpha: boolean },
  ): {
    clearRect(left: number, top: number, width: number, height: number): void;
    drawImage(picture: Picture, left: number, top: number, width: number, height: number): void;
  };
};

type Encoder = {
  encodeQueueSize: number;
  configure(config: object): void;
  encode(frame: object, options: { keyFrame: boolean }): void;
  flush(): Promise<void>;
  close(): void;
  addEventListener(name: 'dequeue', listener: (event: unknown) => void, options: { once: boolean }): void;
};

type Chunk = { byteLength: number; timestamp: number; type: 'key' | 'delta'; copyTo(bytes: Uint8Array): void };

type EncodingPage = {
  recipewrightEncoder: State;
  OffscreenCanvas: new (width: number, height: number) => Canvas;
  createImageBitmap(blob: Blob): Promise<Picture>;
  VideoFrame: new (canvas: Canvas, options: { timestamp: number }) => { close(): void };
  VideoEncoder?: {
    new (listeners: { output(chunk: Chunk): void; error(error: Error): void }): Encoder;
    isConfigSupported(config: object): Promise<{ supported: boolean }>;
  };
};
