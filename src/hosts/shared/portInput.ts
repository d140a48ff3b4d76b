/** The input that names the debugging port of an app which runs already. */
export const portInput = 'cdp_port';
