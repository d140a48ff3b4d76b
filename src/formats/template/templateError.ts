// What is wrong with a template or the values it was given, in the words of the reference where it has them.
export class TemplateError extends Error {
  /** It can never be resolved, however the values are read. */
  readonly isEndless: boolean;
  /** Where in the recipe, when that is known. */
  readonly pointer: readonly (string | number)[];

  constructor(
    readonly code: string,
    message: string,
    { isEndless = false, pointer = [] }: { isEndless?: boolean; pointer?: readonly (string | number)[] } = {},
  ) {
    super(message);
    this.isEndless = isEndless;
    this.pointer = pointer;
  }
}

export function isTemplateError(thrown: unknown): thrown is TemplateError {
  return thrown instanceof TemplateError;
}
