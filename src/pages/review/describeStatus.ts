// Pages show a status as a sign, a word and a colour, because colour alone is not accessible.

export type StatusLabel = { sign: string; word: string; tone: 'good' | 'bad' | 'open' | 'quiet' };

const statusLabels: Readonly<Record<string, StatusLabel>> = {
  pass: { sign: '✓', word: 'Pass', tone: 'good' },
  fail: { sign: '✗', word: 'Fail', tone: 'bad' },
  unknown: { sign: '?', word: 'Unknown', tone: 'open' },
  proven: { sign: '✓', word: 'Proven', tone: 'good' },
  refuted: { sign: '✗', word: 'Refuted', tone: 'bad' },
  unproven: { sign: '?', word: 'Unproven', tone: 'open' },
  blocked: { sign: '!', word: 'Blocked', tone: 'open' },
  'not run': { sign: '–', word: 'Not run', tone: 'quiet' },
};

export function describeStatus(status: string): StatusLabel {
  return (Object.hasOwn(statusLabels, status) ? statusLabels[status] : undefined) ?? { sign: '?', word: status, tone: 'open' };
}
