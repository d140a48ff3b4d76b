// JSON pointers (RFC 6901), the paths that findings and origins speak in.
export function joinPointer(base: string, ...segments: (string | number)[]): string {
  return base + segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
