// Builds JSON pointers (RFC 6901), which are the paths in findings.
export function joinPointer(base: string, ...segments: (string | number)[]): string {
  let pointer = base;
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : escapeSegment(segment)}`;
  return pointer;
}

function escapeSegment(segment: string): string {
  return segment.includes('~') || segment.includes('/') ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}
