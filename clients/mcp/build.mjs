/** Bundles the server with its packages into dist/main.mjs, which runs without an installation. */
import { writePackageBundles } from '../../tools/build/package-bundle.mjs';

await writePackageBundles(import.meta.dirname, {
  entryPoints: { main: 'src/main.ts' },
  tsconfig: 'tsconfig.json',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // Opens content that was granted to a key of the caller, which the server doesn't have.
  external: ['jose'],
  // Packages of CommonJS in the bundle call `require` for modules of Node.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
