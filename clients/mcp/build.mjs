/** Bundles the server with its packages into dist/main.mjs, which runs without an installation. */
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;

await build({
  entryPoints: [join(folder, 'src', 'main.ts')],
  outfile: join(folder, 'dist', 'main.mjs'),
  tsconfig: join(folder, 'tsconfig.json'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Opens content that was granted to a key of the caller, which the server doesn't have.
  external: ['jose'],
  // Packages of CommonJS in the bundle call `require` for modules of Node.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
