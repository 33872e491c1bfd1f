/**
 * Bundles the console's browser modules to dist/, one file per module of src/web/console/browser. The files have stable
 * names and no shared chunks: during a deploy, another release may serve a module than the one that served its page.
 * `--watch` keeps the bundles up to date.
 */
import { context } from 'esbuild';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib.mjs';

const BROWSER_FOLDER = join('src', 'web', 'console', 'browser');
const entryPoints = readdirSync(join(root, BROWSER_FOLDER))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(root, BROWSER_FOLDER, name));

const bundle = await context({
  entryPoints,
  outdir: join(root, 'dist', BROWSER_FOLDER),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
});
if (process.argv.includes('--watch')) await bundle.watch();
else {
  await bundle.rebuild();
  await bundle.dispose();
}
