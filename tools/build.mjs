/**
 * Builds the service to dist/: compiles sources with swc, copies the files that they read, bundles the console's
 * browser modules, creates the files of an empty embedded database, removes the output of deleted sources, bundles
 * each program with its packages, and packs the clients that the service hands out. Does only what has changed since
 * the last build. `npm run check` checks types (docs/decisions/0035). `node tools/build.mjs FOLDER` builds another
 * checkout; `--files` leaves out the bundles and the packed clients, `--packages` does nothing but pack the clients,
 * `--code-cache` starts programs once to add V8's compiled code to their bundles, and `--image FOLDER` copies what the
 * image needs of all that.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { areBundlesUpToDate, writeBundles } from './build/bundles.mjs';
import { writeCodeCaches } from './build/code-cache.mjs';
import { buildEmbeddedCluster } from './build/embedded-cluster.mjs';
import { writeImage } from './build/image.mjs';
import { acquireLock } from './build/lock.mjs';
import { writePackages } from './build/packages.mjs';
import {
  BROWSER_FOLDERS,
  compareWithLastBuild,
  isBrowserModule,
  isCode,
  outputsOf,
  writeRecord,
} from './build/state.mjs';
import { root } from './lib.mjs';

const LOCK = '.lock';

const swcOptions = createRequire(import.meta.url)('./swc-options.cjs');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'boolean' },
    packages: { type: 'boolean' },
    'code-cache': { type: 'boolean' },
    image: { type: 'string' },
  },
});
const folder = resolve(positionals[0] ?? root);

// Another build would write the same files.
await acquireLock(join(folder, 'dist', LOCK));
if (options.packages) {
  await orExit(() => writePackages(folder));
  process.exit(0);
}
const state = compareWithLastBuild(folder);
const { isFirst, changed, deleted } = state;
// Output of other compilers and of unknown sources must not remain.
if (isFirst) removeOutput();
for (const output of deleted.flatMap(outputsOf)) rmSync(join(folder, output), { force: true });
if (changed.length > 0) await compileChanges();
writeRecord(folder, state);
if (!options.files) {
  if (!areBundlesUpToDate(folder, state)) await orExit(() => writeBundles(folder, state));
  await orExit(() => writePackages(folder));
}
// Older releases don't use these files.
if (existsSync(join(folder, 'tools', 'build', 'embedded-cluster.mjs'))) await buildEmbeddedCluster(folder);
if (options['code-cache']) await writeCodeCaches(folder);
if (options.image) writeImage(folder, resolve(folder, options.image));

function removeOutput() {
  const names = readdirSync(join(folder, 'dist')).filter((name) => !name.startsWith(LOCK));
  for (const name of names) rmSync(join(folder, 'dist', name), { recursive: true });
}

/** Exits with the reason, without a stack of this program, if the step fails. */
async function orExit(step) {
  try {
    await step();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

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
  if (changed.some(isForBrowser)) await bundleBrowserModules(folder);
}

/** Whether browser modules may import the source: only their own folders and the packages (.dependency-cruiser.cjs). */
function isForBrowser(path) {
  return [...BROWSER_FOLDERS, 'packages'].some((parent) => path.startsWith(join(parent, sep)));
}

async function compile(path, transform) {
  const [output, mapFile] = outputsOf(path).map((name) => join(folder, name));
  const filename = join(folder, path);
  const { code, map } = await transform(readFileSync(filename, 'utf8'), {
    ...swcOptions,
    jsc: { ...swcOptions.jsc, baseUrl: folder },
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
