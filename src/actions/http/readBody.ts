// Reads the body of a response within the limits that hold for the output of a command.
import { type CapturedOutput, captureOutput, type Redactor } from '../../system/processes/runProcess.js';

export type ResponseBody = {
  /** Without the secrets of the run, in UTF-8. */
  text: CapturedOutput;
  /** The value that the body spells, if the response says that it is JSON, and all of it was kept. */
  json: { value: unknown } | undefined;
};

export async function readBody(response: Response, redact: (() => Redactor) | undefined): Promise<ResponseBody> {
  const contentType = response.headers.get('content-type') ?? '';
  const raw = captureOutput();
  const masked = redact ? captureOutput() : raw;
  const redactor = redact?.();
  const write = (chunk: Buffer): void => {
    raw.write(chunk);
    if (redactor) masked.write(redactor.write(chunk));
  };
  const decoder = decoderFor(contentType);
  for await (const chunk of chunksOf(response)) write(decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk);
  if (decoder) write(Buffer.from(decoder.decode()));
  if (redactor) masked.write(redactor.end());
  return { text: masked.end(), json: isJson(contentType) ? parseJson(raw.end()) : undefined };
}

async function* chunksOf({ body }: Response): AsyncGenerator<Buffer> {
  if (!body) return;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** UTF-8 needs none, and keeps its bytes as they are. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(contentType) ?? [];
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    // RangeError: no such charset.
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
    // SyntaxError: the response is not what it says.
    return undefined;
  }
}
