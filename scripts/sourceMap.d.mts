export declare const sourceMap: readonly { folder: string; owns: string; imports: readonly string[] }[];
