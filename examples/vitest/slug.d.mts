export declare function slugOf(title: string): string;
