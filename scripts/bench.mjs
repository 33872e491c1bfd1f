/** The benchmark table (bench/README.md), on the build as it stands or is made now. */
import { join } from 'node:path';
import { ensureBuilt, root, run } from './lib.mjs';

ensureBuilt();
const hook = join(root, 'scripts', 'typescript.cjs');
run(process.execPath, ['--require', hook, join(root, 'bench', 'main.ts'), ...process.argv.slice(2)], {
  NODE_ENV: 'production',
});
