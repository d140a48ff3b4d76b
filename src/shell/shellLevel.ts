// Where a reader of shell commands stands, and the words that open and close groups.
import type { Command, Group } from './shellMarks.js';

export type Open = { kind: string; pipeline: number; feed: number; first: number };
/** `feed`: the first mark of what is piped in, -1 for nothing; `pipeline`: the first mark of the pipeline. */
export type Level = {
  close: string;
  open: Open[];
  pipeline: number;
  feed: number;
  around: number;
  spilled?: boolean;
  command?: Command;
  tail?: Group;
};

export const opening = new Set(['{', 'if', 'while', 'until']);
export const openingWithWords = new Set(['for', 'case', 'select']);
export const closing = new Set(['}', 'fi', 'done', 'esac']);
export const passing = new Set(['then', 'else', 'elif', 'do', '!', 'time', 'coproc']);
