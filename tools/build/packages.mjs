/**
 * Packs the packages that the service hands out to dist/tarballs/, with their versions and digests in `index.json`
 * (docs/decisions/0072). Does only what has changed since the last build. The same sources become the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeWholeFile } from './whole-file.mjs';

/** Folders by the name of the file, and others whose sources are in the package. */
const PACKAGES = {
  device: { folder: 'clients/device', others: ['packages/protocol', 'packages/forward-proxy'] },
  client: { folder: 'clients/typescript', others: ['packages/forward-proxy'] },
  mcp: { folder: 'clients/mcp', others: ['clients/typescript', 'packages/forward-proxy'] },
};
/** What each package is built with. The lockfile names the bundler and the bundled packages. */
const TOOLS = ['tools/build/package-bundle.mjs', 'tools/build/packages.mjs', 'package-lock.json'];
const TARBALLS_FOLDER = join('dist', 'tarballs');
const INDEX_FILE = join(TARBALLS_FOLDER, 'index.json');
const RECORD_FILE = join(TARBALLS_FOLDER, '.record.json');

/** Returns whether the packages are those of the sources. A checkout of an older release has none. */
export function arePackagesUpToDate(folder) {
  return !hasPackages(folder) || (existsSync(join(folder, INDEX_FILE)) && findChanged(folder).length === 0);
}

/** @throws Error with the output of npm if a package can't be built */
export function writePackages(folder) {
  if (arePackagesUpToDate(folder)) return;
  const changed = findChanged(folder);
  const target = join(folder, TARBALLS_FOLDER);
  mkdirSync(target, { recursive: true });
  // Tarballs contain the modes of files.
  process.umask(0o022);
  // A build that ends half-way leaves no index, and the next one begins again.
  for (const file of [INDEX_FILE, RECORD_FILE]) rmSync(join(folder, file), { force: true });
  const names = changed.length > 0 ? changed : Object.keys(PACKAGES);
  const tarballs = packFolders(folder, names);
  for (const name of names) renameSync(tarballs[name], join(target, `${name}.tgz`));
  const entries = Object.keys(PACKAGES).map((name) => [name, describePackage(folder, name)]);
  writeWholeFile(join(folder, RECORD_FILE), JSON.stringify(hashSources(folder)));
  writeWholeFile(join(folder, INDEX_FILE), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

function hasPackages(folder) {
  return existsSync(join(folder, 'clients', 'package.json'));
}

/** Packs workspaces of `clients/`, which builds them first, and returns the files. */
function packFolders(folder, names) {
  const target = join(folder, TARBALLS_FOLDER);
  const workspaces = names.map((name) => `--workspace=${relative('clients', PACKAGES[name].folder)}`);
  const args = ['pack', '--silent', '--ignore-scripts=false', `--pack-destination=${target}`, ...workspaces];
  // Settings of an npm that runs this build are not for this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { status, error, stdout, stderr } = spawnSync('npm', args, {
    cwd: join(folder, 'clients'),
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`The packages can't be packed: ${error?.message ?? `${stdout}${stderr}`}`);
  return Object.fromEntries(
    names.map((name) => {
      const manifest = readManifest(folder, name);
      return [name, join(target, `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`)];
    }),
  );
}

function describePackage(folder, name) {
  const { name: packageName, version, description, engines } = readManifest(folder, name);
  const content = readFileSync(join(folder, TARBALLS_FOLDER, `${name}.tgz`));
  const digest = (algorithm, encoding) => createHash(algorithm).update(content).digest(encoding);
  return {
    name: packageName,
    version,
    description,
    file: `${name}.tgz`,
    size: content.length,
    sha256: digest('sha256', 'hex'),
    integrity: `sha512-${digest('sha512', 'base64')}`,
    node: engines.node,
  };
}

function findChanged(folder) {
  const hashes = hashSources(folder);
  const last = readRecord(folder);
  return Object.keys(PACKAGES).filter(
    (name) => hashes[name] !== last[name] || !existsSync(join(folder, TARBALLS_FOLDER, `${name}.tgz`)),
  );
}

function hashSources(folder) {
  const hashFiles = (paths) => {
    const hash = createHash('sha256');
    for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
    return hash.digest('base64');
  };
  const tools = hashFiles(TOOLS);
  const entries = Object.entries(PACKAGES).map(([name, { folder: own, others }]) => {
    const paths = [own, ...others].flatMap((path) => listSources(folder, path)).sort();
    return [name, `${tools} ${hashFiles(paths)}`];
  });
  return Object.fromEntries(entries);
}

function listSources(folder, path) {
  return readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/\.spec\.ts$|[/\\](dist|node_modules|testing)[/\\]/.test(file));
}

function readManifest(folder, name) {
  return JSON.parse(readFileSync(join(folder, PACKAGES[name].folder, 'package.json'), 'utf8'));
}

function readRecord(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD_FILE), 'utf8'));
  } catch {
    // Without a readable record, everything is packed again.
    return {};
  }
}
