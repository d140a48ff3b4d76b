// Reads the body of a response, with the same size limit as the output of a command.
import { type CapturedOutput, captureOutput, type StreamMasker } from '../../system/processes/runProcess.js';

export type ResponseBody = {
  /** The body in UTF-8, with the secrets of the run masked. */
  text: CapturedOutput;
  /** The parsed body, if the content type is JSON, the JSON is valid and the body was not truncated. */
  json: { value: unknown } | undefined;
};

export async function readBody(response: Response, openMasker: (() => StreamMasker) | undefined): Promise<ResponseBody> {
  const contentType = response.headers.get('content-type') ?? '';
  const raw = captureOutput();
  const masked = openMasker ? captureOutput() : raw;
  const masker = openMasker?.();
  const write = (chunk: Buffer): void => {
    raw.write(chunk);
    if (masker) masked.write(masker.write(chunk));
  };
  const decoder = decoderFor(contentType);
  for await (const chunk of chunksOf(response)) write(decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk);
  if (decoder) write(Buffer.from(decoder.decode()));
  if (masker) masked.write(masker.end());
  return { text: masked.end(), json: isJson(contentType) ? parseJson(raw.end()) : undefined };
}

async function* chunksOf({ body }: Response): AsyncGenerator<Buffer> {
  if (!body) return;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** Returns undefined for UTF-8, so that its bytes stay unchanged. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(contentType) ?? [];
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    // RangeError: the charset is unknown.
    return undefined;
  }
}

function isJson(contentType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(contentType);
}

function parseJson({ bytes, wasTruncated }: CapturedOutput): { value: unknown } | undefined {
  if (wasTruncated) return undefined;
  try {
    return { value: JSON.parse(bytes.toString().replace(/^\ufeff/, '')) as unknown };
  } catch {
    // SyntaxError: the body is not JSON, although the content type says so.
    return undefined;
  }
}
