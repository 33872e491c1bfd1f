/** Builds the package to dist/: modules and their types, without tests. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = join(folder, 'dist');
const compiler = join(folder, '..', '..', 'node_modules', 'typescript-native', 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
const args = [compiler, '-p', join(folder, 'tsconfig.build.json')];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// The compiler rewrites the extensions of imports in modules, but not in declarations, which older compilers need.
for (const name of readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.d.ts'))) {
  const file = join(dist, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/(\bfrom |\bimport\()(["'])(\.{1,2}\/[^"']+)\.ts\2/g, '$1$2$3.js$2'));
}
