#!/usr/bin/env node
import module from 'node:module';

// Everything that is compiled after this line comes from Node's own cache the next time. Node 20 has none.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import('./main.js');
