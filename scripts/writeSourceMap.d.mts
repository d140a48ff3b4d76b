export declare function withSourceMap(text: string): string;
