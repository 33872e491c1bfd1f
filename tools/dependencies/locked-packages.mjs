import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

/** Licences of packages without the field `license`, from their LICENSE or README. */
const UNDECLARED_LICENCES = {
  'busboy@1.6.0': 'MIT',
  'passport-http-bearer@1.0.1': 'MIT',
  'passport-strategy@1.0.0': 'MIT',
  'pause@0.0.1': 'MIT',
  'streamsearch@1.1.0': 'MIT',
  'xmlhttprequest-ssl@2.1.2': 'MIT',
};

/**
 * Returns each name and version of package-lock.json once, in alphabetical order. `dev` marks packages that the
 * deployed service doesn't need. `licence` is an SPDX expression or null, `node` the range of Node versions.
 */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, { name, version, license, link, dev = false, integrity = null, engines }] of Object.entries(
    packages,
  )) {
    // The project itself, and its workspaces.
    if (!path.startsWith('node_modules/') || link) continue;
    const own = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const entry = { name: own, version, integrity, dev, node: engines?.node ?? '*' };
    const known = found.get(`${own}@${version}`);
    found.set(`${own}@${version}`, {
      ...entry,
      licence: license ?? licenceOf(entry),
      dev: dev && (known?.dev ?? true),
    });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Returns the licence of a package without one in the lockfile. */
export function licenceOf({ name, version }) {
  return UNDECLARED_LICENCES[`${name}@${version}`] ?? null;
}
