/** Bundles what a package of `clients/` contains, so that it is installed without other packages. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { writeWholeFile } from './whole-file.mjs';

const LICENCE_FILE = /^licen[cs]e(?:\.\w+)?$/i;

/**
 * Writes the bundles of a package to its `dist/`, and the licences of what they contain to `dist/LICENSES.txt`.
 * `PACKAGE_VERSION` in their sources is the version of the package. Replaces file after file, so that programs that run
 * or start meanwhile, and other builds, always find whole ones. Removes what is left of earlier builds, but for types.
 * @param bundles options of esbuild, each for one bundle
 */
export async function writePackageBundles(folder, ...bundles) {
  const dist = join(folder, 'dist');
  const { version } = readManifest(folder);
  const results = await Promise.all(
    bundles.map((options) =>
      build({
        absWorkingDir: folder,
        outdir: dist,
        bundle: true,
        platform: 'node',
        target: 'node20',
        define: { PACKAGE_VERSION: JSON.stringify(version) },
        legalComments: 'none',
        logLevel: 'warning',
        metafile: true,
        write: false,
        ...options,
      }),
    ),
  );
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const files = results.flatMap(({ outputFiles }) => outputFiles.map(({ path, contents }) => [path, contents]));
  files.push([join(dist, 'LICENSES.txt'), describeLicences(folder, inputs)]);
  for (const [path, contents] of files) writeWholeFile(path, contents);
  const written = new Set(files.map(([path]) => path));
  // Another build writes to names with its process id first.
  const isLeft = (path) => !written.has(path) && !/\.(d\.ts|\d+)$/.test(path);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && isLeft(path)) rmSync(path, { force: true });
  }
}

function describeLicences(folder, inputs) {
  const found = inputs.map((path) => findPackageFolder(path.replaceAll('\\', '/'))).filter(Boolean);
  const texts = new Set([...new Set(found)].map((path) => describeLicence(join(folder, path))));
  return ['This package contains parts of the packages below.\n', ...[...texts].sort()].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns undefined for a file of this repository. */
function findPackageFolder(path) {
  const parts = path.split('/');
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return undefined;
  return parts.slice(0, at + (parts[at + 1].startsWith('@') ? 3 : 2)).join('/');
}

function describeLicence(folder) {
  const { name, version, license } = readManifest(folder);
  const file = readdirSync(folder).find((entry) => LICENCE_FILE.test(entry));
  const text = file && existsSync(join(folder, file)) ? `\n${readFileSync(join(folder, file), 'utf8').trim()}\n` : '';
  return `${name} ${version} (${license ?? 'see below'})\n${text}`;
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
