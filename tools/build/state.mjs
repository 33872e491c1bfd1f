/**
 * Sources and outputs of a build, in any folder with the project's layout. The record of the last build contains the
 * hash of each source, so a build also notices restored files, switched branches and deleted sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWholeFile } from './whole-file.mjs';

const SOURCE_FOLDERS = [
  'src',
  'migrations',
  join('tools', 'documents'),
  join('packages', 'forward-proxy', 'src'),
  join('packages', 'pages', 'src'),
  join('packages', 'protocol', 'src'),
  join('clients', 'console', 'src'),
  join('clients', 'device', 'src'),
  join('clients', 'docs', 'src'),
  join('clients', 'quickstart', 'src'),
];
const TOOLS_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
/** Files whose change compiles everything again. The lockfile names the compilers and the bundled packages. */
const TOOL_FILES = [
  'build.mjs',
  'build-browser.mjs',
  'swc-options.cjs',
  ...readdirSync(join(TOOLS_FOLDER, 'build')).map((name) => join('build', name)),
];

/** Folders whose modules are the pages' bundles. */
export const BROWSER_FOLDERS = [join('clients', 'console', 'src'), join('clients', 'docs', 'src')];
const BROWSER_LIBRARY_FOLDERS = [join('packages', 'pages', 'src', 'browser')];
const RECORD_FILE = join('dist', '.build.json');

/**
 * Compares the sources of a folder with its last build.
 * @returns `sources`: hashes by path; `changed` and `deleted`: paths of sources; `toolchain`: hash of the compilers and
 * their options; `isFirst`: whether no build with these compilers exists
 */
export function compareWithLastBuild(folder) {
  const toolchain = hashOf(...TOOL_FILES.map((name) => join(TOOLS_FOLDER, name)), join(folder, 'package-lock.json'));
  const last = readRecord(folder);
  const isFirst = last?.toolchain !== toolchain;
  const known = isFirst ? {} : last.sources;
  const sources = Object.fromEntries(listSources(folder).map((path) => [path, hashOf(join(folder, path))]));
  const isBuilt = (path) => outputsOf(path).every((output) => existsSync(join(folder, output)));
  return {
    toolchain,
    isFirst,
    sources,
    changed: Object.keys(sources).filter((path) => sources[path] !== known[path] || !isBuilt(path)),
    deleted: Object.keys(known).filter((path) => !(path in sources)),
  };
}

/** @param state result of `compareWithLastBuild` */
export function isUpToDate({ changed, deleted }) {
  return changed.length === 0 && deleted.length === 0;
}

export function writeRecord(folder, { toolchain, sources }) {
  writeWholeFile(join(folder, RECORD_FILE), JSON.stringify({ toolchain, sources }));
}

export const isCode = (path) => /\.tsx?$/.test(path) && !isBrowserModule(path);
export const isBrowserModule = (path) =>
  /\.tsx?$/.test(path) &&
  [...BROWSER_FOLDERS, ...BROWSER_LIBRARY_FOLDERS].some((folder) => path.startsWith(join(folder, sep)));

/** Returns the files that a build writes for a source. Modules in subfolders of a browser folder are bundled. */
export function outputsOf(source) {
  const output = join('dist', source).replace(/\.tsx?$/, '.js');
  if (isCode(source)) return [output, `${output}.map`];
  if (isBrowserModule(source)) return BROWSER_FOLDERS.includes(dirname(source)) ? [output, `${output}.map`] : [];
  return [output];
}

/** Returns the paths of code and of files that code reads, without tests, documents and files of editors. */
function listSources(folder) {
  return SOURCE_FOLDERS.filter((name) => existsSync(join(folder, name))).flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((path) => !/\.spec\.tsx?$|[/\\]testing[/\\]|\.md$|tsconfig\.json$|[/\\]\.|~$/.test(path)),
  );
}

function readRecord(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD_FILE), 'utf8'));
  } catch {
    // Without a readable record, everything is compiled again.
    return null;
  }
}

function hashOf(...files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('base64');
}
