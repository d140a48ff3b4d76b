// One walk over a parsed value: as many keys as the text has colons means that no key was given twice.
export type ValueSurvey = { keys: number; hasInfinity: boolean };

export function surveyValue(value: unknown): ValueSurvey {
  const survey: ValueSurvey = { keys: 0, hasInfinity: false };
  const open: object[] = [];
  note(value, survey, open);
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) for (const item of container) note(item, survey, open);
    else survey.keys += noteMembers(container as Record<string, unknown>, survey, open);
  }
  return survey;
}

// `for in` is several times faster than Object.values; what it may inherit only makes the caller look closer.
function noteMembers(container: Record<string, unknown>, survey: ValueSurvey, open: object[]): number {
  let keys = 0;
  for (const key in container) {
    keys++;
    note(container[key], survey, open);
  }
  return keys;
}

function note(value: unknown, survey: ValueSurvey, open: object[]): void {
  if (typeof value === 'object') {
    if (value !== null) open.push(value);
  } else if (typeof value === 'number' && !Number.isFinite(value)) survey.hasInfinity = true;
}
