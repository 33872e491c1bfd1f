/** `node tools/bench.mjs main …` runs a program of bench/ on an up-to-date build (bench/README.md). */
import { join } from 'node:path';
import { ensureBuilt, root, run } from './lib.mjs';

ensureBuilt();
const hook = join(root, 'tools', 'typescript.cjs');
const [program, ...rest] = process.argv.slice(2);
run(process.execPath, ['--require', hook, join(root, 'bench', `${program}.ts`), ...rest], {
  NODE_ENV: 'production',
});
