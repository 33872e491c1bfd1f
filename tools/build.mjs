/**
 * Builds the service to dist/: compiles sources with swc, copies the files that they read, bundles the console's
 * browser modules, creates the files of an empty embedded database, and removes the output of deleted sources. Compiles
 * only what has changed since the last build. `npm run check` checks types (docs/decisions/0035).
 * `node tools/build.mjs FOLDER` builds another checkout.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { buildEmbeddedCluster } from './build/embedded-cluster.mjs';
import { compareWithLastBuild, isBrowserModule, isCode, outputsOf, writeRecord } from './build/state.mjs';
import { root } from './lib.mjs';

const swcOptions = createRequire(import.meta.url)('./swc-options.cjs');
const folder = resolve(process.argv[2] ?? root);

const state = compareWithLastBuild(folder);
const { isFirst, changed, deleted } = state;
// Output of other compilers and of unknown sources must not remain.
if (isFirst) rmSync(join(folder, 'dist'), { recursive: true, force: true });
for (const output of deleted.flatMap(outputsOf)) rmSync(join(folder, output), { force: true });
if (changed.length > 0) await compileChanges();
writeRecord(folder, state);
// Other checkouts may be of releases that don't use these files.
if (existsSync(join(folder, 'tools', 'build', 'embedded-cluster.mjs'))) await buildEmbeddedCluster(folder);

/** Loads the compilers only here, so that a build without changes is fast. */
async function compileChanges() {
  const [{ transform }, { bundleBrowserModules }] = await Promise.all([
    import('@swc/core'),
    import('./build-browser.mjs'),
  ]);
  // If this build ends half-way, the next one must not take its outputs for those of the last complete build.
  const unchanged = Object.entries(state.sources).filter(([path]) => !changed.includes(path));
  writeRecord(folder, { ...state, sources: Object.fromEntries(unchanged) });
  for (const directory of new Set(changed.flatMap(outputsOf).map(dirname))) {
    mkdirSync(join(folder, directory), { recursive: true });
  }
  try {
    await Promise.all(changed.filter(isCode).map((path) => compile(path, transform)));
  } catch (error) {
    // The message contains the file, the line and the reason, and then a stack of the compiler itself.
    console.error(error.message.split('\nCaused by:')[0].trimEnd());
    process.exit(1);
  }
  for (const path of changed.filter((path) => !isCode(path) && !isBrowserModule(path))) {
    cpSync(join(folder, path), join(folder, 'dist', path));
  }
  // They import other modules as well, so all are bundled after any change.
  await bundleBrowserModules(folder);
}

async function compile(path, transform) {
  const [output, mapFile] = outputsOf(path).map((name) => join(folder, name));
  const filename = join(folder, path);
  const { code, map } = await transform(readFileSync(filename, 'utf8'), {
    ...swcOptions,
    filename,
    sourceFileName: relative(dirname(output), filename),
    sourceMaps: true,
    inlineSourcesContent: false,
    // Only these options count, not a `.swcrc` of a developer.
    swcrc: false,
  });
  writeFileSync(output, `${code}//# sourceMappingURL=${output.slice(dirname(output).length + 1)}.map\n`);
  writeFileSync(mapFile, map);
}
