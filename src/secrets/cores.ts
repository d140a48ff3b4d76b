// Base64 and base32 of a value inside of longer data: only the characters that its neighbours have no part in.
type Base = { alphabet: string; bits: number; group: number };

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const base64: Base = { alphabet: `${upper}${upper.toLowerCase()}0123456789+/`, bits: 6, group: 3 };
const base32: Base = { alphabet: `${upper}234567`, bits: 5, group: 5 };

/** Shorter ones are found in texts that hold no secret. */
const shortest = 6;

export function base64Cores(text: string): string[] {
  const cores = coresOf(Buffer.from(text), base64);
  const spelled = cores.flatMap((core) => [
    core,
    core.replaceAll('+', '-').replaceAll('/', '_'),
    core.replaceAll('+', '%2B').replaceAll('/', '%2F'),
    core.replaceAll('/', '\\/'),
  ]);
  return [...spelled, ...wrapped(cores[0] ?? '')];
}

export function base32Cores(text: string): string[] {
  return coresOf(Buffer.from(text), base32);
}

function coresOf(bytes: Uint8Array, { alphabet, bits, group }: Base): string[] {
  const cores: string[] = [];
  for (let before = 0; before < group; before++) {
    const first = Math.ceil((before * 8) / bits) * bits - before * 8;
    let core = '';
    for (let bit = first; bit + bits <= bytes.length * 8; bit += bits) core += alphabet[bitsAt(bytes, bit, bits)];
    if (core.length >= shortest) cores.push(core);
  }
  return cores;
}

function bitsAt(bytes: Uint8Array, bit: number, count: number): number {
  const at = bit >> 3;
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (pair >> (16 - (bit & 7) - count)) & ((1 << count) - 1);
}

/** As `base64` and MIME break it into lines when the value stands at the beginning. */
function wrapped(core: string): string[] {
  return [64, 76].flatMap((width) => {
    const lines = core.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
    return lines.length < 2 ? [] : ['\n', '\r\n', '\\n', '\\r\\n'].map((end) => lines.join(end));
  });
}
