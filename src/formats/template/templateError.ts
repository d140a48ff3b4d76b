// An error of a template or its values, in the words of the reference where it has them.
export type TemplateErrorOptions = { isEndless?: boolean; pointer?: readonly (string | number)[]; placeholder?: string };

export class TemplateError extends Error {
  /** The values refer to each other in a circle. */
  readonly isEndless: boolean;
  /** The place in the recipe; empty when it is not known. */
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
