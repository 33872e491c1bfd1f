/** What docs/scaling.md stands on: its arithmetic, and a simulation of many instances (bench/simulation). */
import { join } from 'node:path';
import { ensureBuilt, root, run } from './lib.mjs';

// Real devices are compared with on the build as it stands.
if (process.argv[2] === 'compare') ensureBuilt();
const hook = join(root, 'scripts', 'typescript.cjs');
run(process.execPath, ['--require', hook, join(root, 'bench', 'simulation', 'main.ts'), ...process.argv.slice(2)], {
  NODE_ENV: 'production',
});
