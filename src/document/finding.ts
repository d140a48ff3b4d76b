// A finding: a problem in a document, with its place, a message and a hint what to do next.
export type Place = { file: string; line: number; column: number };

export type Finding = {
  code: string;
  severity: 'error' | 'warning' | 'note';
  path: string;
  place: Place;
  message: string;
  hint?: string;
};

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
