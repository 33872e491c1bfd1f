/** `node scripts/run-built.mjs reference-device …`: runs src/<name>/main of the build, which is made if need be. */
import { join } from 'node:path';
import { ensureBuilt, root } from './lib.mjs';

const [name, ...rest] = process.argv.slice(2);
ensureBuilt();
const entry = join(root, 'dist', 'src', name, 'main.js');
process.argv = [process.argv[0], entry, ...rest];
await import(entry);
