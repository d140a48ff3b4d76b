/** `isBroken`: it is not what its run left; otherwise nothing can tell, as with packages of other runners. */
export type Doubt = { isBroken: boolean; why: string };
