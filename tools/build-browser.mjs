import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BROWSER_FOLDERS } from './build/state.mjs';
import swcOptions from './swc-options.cjs';

/**
 * Bundles the browser modules of the console and the documentation to dist/, one file per module of these folders. The
 * files have stable names and no shared chunks: during a deploy, another release may serve a module than the one that
 * served its page.
 * @param folder checkout to build; one without these modules gets no bundle
 */
export async function bundleBrowserModules(folder) {
  const folders = BROWSER_FOLDERS.filter((name) => existsSync(join(folder, name)));
  await Promise.all(folders.map((name) => bundleFolder(folder, name)));
}

async function bundleFolder(folder, name) {
  await build({
    entryPoints: readdirSync(join(folder, name))
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(folder, name, file)),
    outdir: join(folder, 'dist', name),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    // The image is built without links to the repository's own packages.
    alias: Object.fromEntries(
      Object.entries(swcOptions.jsc.paths).map(([specifier, [source]]) => [specifier, join(folder, source)]),
    ),
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: true,
    logLevel: 'warning',
  });
}
