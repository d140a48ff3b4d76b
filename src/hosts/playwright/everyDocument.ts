/** The names by which documents are known where nobody says which ones are tests. */
export const everyDocument: readonly string[] = [
  '**/*.recipe.json',
  '**/*.flows.json',
  '**/*.template.json',
  '**/*.template.md',
  '**/*.runtime.json',
  '**/*.flowspec.json',
];
