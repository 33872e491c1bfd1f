import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BROWSER_FOLDER } from './build/state.mjs';

/**
 * Bundles the console's browser modules to dist/, one file per module of src/web/console/browser. The files have stable
 * names and no shared chunks: during a deploy, another release may serve a module than the one that served its page.
 * @param folder checkout to build; one without these modules gets no bundle
 */
export async function bundleBrowserModules(folder) {
  if (!existsSync(join(folder, BROWSER_FOLDER))) return;
  await build({
    entryPoints: readdirSync(join(folder, BROWSER_FOLDER))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, BROWSER_FOLDER, name)),
    outdir: join(folder, 'dist', BROWSER_FOLDER),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  });
}
