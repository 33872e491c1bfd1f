/** `node tools/run-built.mjs device …` runs src/programs/<name>/main of an up-to-date build. */
import { join } from 'node:path';
import { ensureBuilt, root } from './lib.mjs';

const [name, ...rest] = process.argv.slice(2);
ensureBuilt();
const entry = join(root, 'dist', 'src', 'programs', name, 'main.js');
// The reference device imports nothing of the service, which sets this for itself.
process.setSourceMapsEnabled(true);
process.argv = [process.argv[0], entry, ...rest];
await import(entry);
