// The debugging port of an app that runs already, when recipes are to run in it.

const variable = 'RECIPE_INPUT_CDP_PORT';

/** It is an input like any other, so that recipes can name it as {{cdp_port}}. */
export function attachedPort(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const port = Number(env[variable] ?? '');
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** For this process and those it starts; whoever set it outside knows better. */
export function attachTo(port: number): void {
  process.env[variable] ??= String(port);
}
