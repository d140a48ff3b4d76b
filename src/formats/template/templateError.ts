// An error of a template or its values. It has the message of the reference implementation, if the reference implementation
// reports the same error.
export type TemplateErrorOptions = { isEndless?: boolean; pointer?: readonly (string | number)[]; placeholder?: string };

export class TemplateError extends Error {
  /** The values refer to each other in a cycle. */
  readonly isEndless: boolean;
  /** The position in the recipe. Empty when the position is not known. */
  readonly pointer: readonly (string | number)[];
  /** The content of the placeholder that has no value. */
  readonly placeholder: string | undefined;

  constructor(
    readonly code: string,
    message: string,
    { isEndless = false, pointer = [], placeholder }: TemplateErrorOptions = {},
  ) {
    super(message);
    this.isEndless = isEndless;
    this.pointer = pointer;
    this.placeholder = placeholder;
  }
}

export function isTemplateError(thrown: unknown): thrown is TemplateError {
  return thrown instanceof TemplateError;
}
