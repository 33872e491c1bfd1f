/**
 * Bundles each program with its packages to dist/programs/: `NAME.js` launches `NAME.bundle.js`. A bundle starts in
 * half of the time of two thousand modules (docs/performance.md#start-and-memory).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { findFileAccess, NEVER_LOADED, OUTSIDE } from './outside.mjs';
import { LAUNCHER, PROGRAMS } from './programs.mjs';
import { rewritePackageModule, rewriteSource } from './rewritten-modules.mjs';
import { thinSourceMap } from './source-map.mjs';
import { writeWholeFile } from './whole-file.mjs';

const BUNDLES_FOLDER = join('dist', 'programs');
const RECORD_FILE = join(BUNDLES_FOLDER, '.bundles');
/** A bundle is a function that the launcher calls with the variables that Node.js gives a module. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {const __anon = (value) => value;';
const FOOT = '})';

/** Returns whether the bundles are those of this state of the sources (`compareWithLastBuild`). */
export function areBundlesUpToDate(folder, state) {
  const file = join(folder, RECORD_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === identify(state);
}

/**
 * Bundles the programs that the folder has. A checkout of an older release has no launcher.
 * @throws Error that names the module which can't be bundled
 */
export async function writeBundles(folder, state) {
  const compiled = (file) => join(folder, 'dist', file);
  const names = Object.keys(PROGRAMS).filter((name) => existsSync(compiled(PROGRAMS[name])));
  if (names.length === 0 || !existsSync(compiled(LAUNCHER))) return;
  const bundles = await runBundler(folder, {
    entryPoints: names.map((name) => ({ in: compiled(PROGRAMS[name]), out: `${name}.bundle` })),
    banner: { js: HEAD },
    footer: { js: FOOT },
  });
  const launchers = await runBundler(folder, {
    entryPoints: names.map((name) => ({ in: compiled(LAUNCHER), out: name })),
  });
  const bundlesFolder = join(folder, BUNDLES_FOLDER);
  const recordFile = join(folder, RECORD_FILE);
  mkdirSync(bundlesFolder, { recursive: true });
  // If this build ends half-way, the next one must not take its bundles for those of the last complete build.
  rmSync(recordFile, { force: true });
  const outputFiles = [...bundles.outputFiles, ...launchers.outputFiles];
  for (const { path, text } of outputFiles) writeWholeFile(path, finishOutput(path, text));
  const written = new Set(outputFiles.map(({ path }) => basename(path)));
  // Compiled code of earlier bundles, and what killed processes have left.
  const outdated = readdirSync(bundlesFolder).filter((name) => !written.has(name));
  for (const name of outdated) rmSync(join(bundlesFolder, name), { force: true });
  writeWholeFile(recordFile, identify(state));
}

function finishOutput(path, text) {
  if (path.endsWith('.js.map')) return JSON.stringify(thinSourceMap(JSON.parse(text)));
  if (path.endsWith('.bundle.js')) return escapeText(leaveFunctionsUnnamed(text));
  return path.endsWith('.js') ? escapeText(text) : text;
}

async function runBundler(folder, options) {
  const { build } = await import('esbuild');
  try {
    return await build({
      ...options,
      absWorkingDir: folder,
      outdir: join(folder, BUNDLES_FOLDER),
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      // Compiled code from a cache could import modules only with an experimental option of Node.js.
      supported: { 'dynamic-import': false },
      // A bundled quickstart starts the bundled service.
      define: { BUNDLES_FOLDER: '__dirname' },
      external: [...Object.keys(OUTSIDE), ...NEVER_LOADED],
      minifyWhitespace: true,
      minifySyntax: true,
      // Nest and TypeORM name things by their classes. `leaveFunctionsUnnamed` leaves out the rest.
      keepNames: true,
      legalComments: 'external',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
      plugins: [readModules(join(folder, BUNDLES_FOLDER))],
    });
  } catch (error) {
    const reasons = error.errors?.map(({ text, location }) => (location ? `${location.file}: ${text}` : text));
    throw new Error(`The programs can't be bundled:\n${reasons?.join('\n') ?? error.message}`, { cause: error });
  }
}

/** Plugin that reads each module, and changes or refuses those that would not work in a bundle. */
function readModules(bundlesFolder) {
  return {
    name: 'read-modules',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!path.includes(`${sep}node_modules${sep}`)) return { contents: rewriteSource(path, text, bundlesFolder) };
        const contents = rewritePackageModule(path, text);
        const reason = findFileAccess(path, contents);
        return reason === null ? { contents } : { errors: [{ text: reason }] };
      });
    },
  };
}

/**
 * Leaves out the names that functions have already, or don't need: esbuild's `__name` defines one for each closure that
 * a call creates, a twentieth of its CPU time (docs/performance.md#bundles). Classes keep theirs, and so do functions
 * that are the `type` of a decorator, which Nest recognizes by it. Keeps all positions, for the source map.
 */
function leaveFunctionsUnnamed(text) {
  return text
    .replace(/\b__name\(([\w$]+),"\1"\)/g, (call, name) => name.padEnd(call.length))
    .replace(/(?<=(?<!\btype)[=:])__name\((?=async\b|function\b|\(|[\w$]+=>)/g, '__anon(');
}

/** Escapes what esbuild leaves in regular expressions. V8 stores and reads ASCII in half of the memory. */
function escapeText(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function identify({ toolchain, sources }) {
  return createHash('sha256')
    .update(JSON.stringify([toolchain, sources]))
    .digest('hex');
}
