/**
 * `node tools/run-built.mjs device …` runs the bundle of a program (build/programs.mjs) of an up-to-date build. With a
 * debugger, runs the single files, whose lines are those of the sources. The service and the operator's program read
 * their settings from `.env` as well.
 */
import { url as getDebuggerUrl } from 'node:inspector';
import { join } from 'node:path';
import { PROGRAMS } from './build/programs.mjs';
import { ensureBuilt, loadEnvironmentFile, root } from './lib.mjs';

// PGlite makes URLs of the paths of its files without encoding them.
if (/[#?%]/.test(root)) {
  console.error(`The embedded database can't be loaded from a path with #, ? or %. Move the folder ${root}.`);
  process.exit(1);
}
const [name, ...rest] = process.argv.slice(2);
if (name === 'service' || name === 'admin') loadEnvironmentFile();
ensureBuilt();
const isDebugged = getDebuggerUrl() !== undefined;
const entry = isDebugged ? join(root, 'dist', PROGRAMS[name]) : join(root, 'dist', 'programs', `${name}.js`);
process.argv = [process.argv[0], entry, ...rest];
await import(entry);
