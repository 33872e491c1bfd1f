/**
 * `node tools/run-built.mjs device …` runs src/programs/<name>/main of an up-to-date build, and `service` runs the
 * service itself. The service and the operator's program read their settings from `.env` as well.
 */
import { join } from 'node:path';
import { ensureBuilt, loadEnvironmentFile, root } from './lib.mjs';

const [name, ...rest] = process.argv.slice(2);
if (name === 'service' || name === 'admin') loadEnvironmentFile();
ensureBuilt();
const entry = join(root, 'dist', 'src', ...(name === 'service' ? [] : ['programs', name]), 'main.js');
// The reference device imports nothing of the service, which sets this for itself.
process.setSourceMapsEnabled(true);
process.argv = [process.argv[0], entry, ...rest];
await import(entry);
