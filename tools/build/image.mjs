/**
 * Copies what the image needs of a build: the programs that run in it, the files that they read, and the packages
 * outside of the bundles with those that they need.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { OUTSIDE } from './outside.mjs';
import { IMAGE_PROGRAMS } from './programs.mjs';
import { BROWSER_FOLDERS } from './state.mjs';

/** Code that is in the bundles, and what only a compiler or a debugger reads. */
const UNUSED = /\.(?:js|ts|map|cts|mts)$/;
const UNUSED_OF_PACKAGE = /(?:\.map|\.d\.[cm]?ts|\.md)$/;

/** @param target folder, which becomes that of the service */
export function writeImage(folder, target) {
  const copy = (path, isUsed = () => true) =>
    cpSync(join(folder, path), join(target, path), {
      recursive: true,
      filter: (file) => isFolder(file) || isUsed(file),
    });
  mkdirSync(join(target, 'dist', 'programs'), { recursive: true });
  const isOfImage = (name) => IMAGE_PROGRAMS.includes(name.split('.')[0]);
  for (const name of readdirSync(join(folder, 'dist', 'programs')).filter(isOfImage))
    copy(join('dist', 'programs', name));
  for (const path of listFiles(folder, join('dist', 'src')).filter((name) => !UNUSED.test(name))) copy(path);
  for (const path of BROWSER_FOLDERS) copy(join('dist', path));
  copy(join('dist', 'migrations', 'schema.json'));
  copy(join('dist', 'tarballs'), (file) => !basename(file).startsWith('.'));
  const clusters = readdirSync(join(folder, 'dist')).filter((name) => name.startsWith('embedded-cluster-'));
  for (const name of clusters) copy(join('dist', name));
  for (const name of findPackages(folder)) copy(join('node_modules', name), (file) => !UNUSED_OF_PACKAGE.test(file));
}

/** Returns the packages outside of the bundles, and those that they require. */
function findPackages(folder) {
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    const packageFolder = join(folder, 'node_modules', name);
    if (existsSync(join(packageFolder, 'node_modules')))
      throw new Error(`${name} has packages of its own, which tools/build/image.mjs would copy unfiltered.`);
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    for (const required of Object.keys({ ...dependencies, ...peerDependencies })) add(required);
  };
  for (const name of Object.keys(OUTSIDE)) add(name);
  return [...found].sort();
}

function listFiles(folder, path) {
  return readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

const isFolder = (path) => statSync(path).isDirectory();
