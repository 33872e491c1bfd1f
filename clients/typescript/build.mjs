/**
 * Builds the package to dist/: the library as modules for Node.js and browsers, its types, and the command as one file
 * with undici, for its proxies. Both contain jose. The library loads it on first use.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writePackageBundles } from '../../tools/build/package-bundle.mjs';
import { writeWholeFile } from '../../tools/build/whole-file.mjs';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');
const compiler = join(folder, '..', '..', 'node_modules', 'typescript-native', 'bin', 'tsc');

await writePackageBundles(
  folder,
  {
    entryPoints: { index: 'src/index.ts' },
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  },
  { entryPoints: { xapi: 'src/cli/main.ts' }, format: 'cjs', outExtension: { '.js': '.cjs' } },
);
const startedAt = Date.now();
const args = [compiler, '-p', join(folder, 'tsconfig.build.json')];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// The compiler rewrites the extensions of imports in modules, but not in declarations, which older compilers need.
for (const name of readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.d.ts'))) {
  const file = join(dist, name);
  const text = readFileSync(file, 'utf8');
  // Types of an earlier build, whose source is gone.
  if (statSync(file).mtimeMs < startedAt - 1_000) rmSync(file, { force: true });
  else writeWholeFile(file, text.replace(/(\bfrom |\bimport\()(["'])(\.{1,2}\/[^"']+)\.ts\2/g, '$1$2$3.js$2'));
}
