// What the first bytes of a tunnel are: TLS for a page's requests, TLS for a WebSocket, or a WebSocket in the open.

export type Opening = 'requests' | 'socket' | 'unknown';

/** Undefined until there are enough bytes to tell. Browsers offer h2 for requests, and only http/1.1 for a WebSocket. */
export function openingOf(bytes: Buffer): Opening | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes[0] !== 0x16) return 'socket';
  if (bytes.length < 5) return undefined;
  const end = 5 + bytes.readUInt16BE(3);
  if (bytes.length < end) return undefined;
  const offered = protocolsIn(bytes.subarray(5, end));
  if (!offered) return 'unknown';
  return offered.includes('h2') ? 'requests' : 'socket';
}

/** The protocols that a ClientHello offers (RFC 8446 §4.1.2, RFC 7301); none when it does not say. */
function protocolsIn(hello: Buffer): string[] | undefined {
  try {
    if (hello[0] !== 1) return undefined;
    let at = 4 + 2 + 32;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    const end = at + 2 + hello.readUInt16BE(at);
    at += 2;
    while (at + 4 <= end) {
      const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
      if (type === 16) return namesIn(hello.subarray(at + 6, at + 4 + length));
      at += 4 + length;
    }
    return [];
  } catch {
    // RangeError: it ends in the middle, and so is no ClientHello that a browser sends.
    return undefined;
  }
}

function namesIn(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < list.length; ) {
    const length = list.readUInt8(at);
    names.push(list.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  return names;
}
