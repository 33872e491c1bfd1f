/** `node scripts/bench.mjs main …`: a program of bench/, on the build as it stands or is made now (bench/README.md). */
import { join } from 'node:path';
import { ensureBuilt, root, run } from './lib.mjs';

ensureBuilt();
const hook = join(root, 'scripts', 'typescript.cjs');
const [program, ...rest] = process.argv.slice(2);
run(process.execPath, ['--require', hook, join(root, 'bench', `${program}.ts`), ...rest], {
  NODE_ENV: 'production',
});
