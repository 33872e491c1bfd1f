/**
 * Compares the OpenAPI documents with those of the last release, and fails on breaking changes that
 * docs/releases/intended-changes.json doesn't explain. `--list` prints all changes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import semver from 'semver';
import { compareDocuments, formatChange } from './compatibility/compare-documents.mjs';
import { matchIntendedChanges } from './compatibility/intended-changes.mjs';
import { root } from './lib.mjs';

const RELEASES = join(root, 'docs', 'releases');
const DOCUMENTS = ['openapi.json', 'docs/protocol/device-openapi.json'];
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

const [release] = readdirSync(RELEASES)
  .filter((name) => semver.valid(name))
  .sort(semver.rcompare);
const changes = DOCUMENTS.flatMap((path) => {
  const released = join(RELEASES, release, basename(path));
  // Release 0.1.0 had no document of the device API.
  return existsSync(released) ? compareDocuments(read(released), read(root, path)) : [];
});
const { unexplained, errors } = matchIntendedChanges(changes, read(RELEASES, 'intended-changes.json'));

const levels = process.argv.includes('--list') ? ['breaking', 'tolerated', 'compatible'] : ['tolerated'];
for (const level of levels) {
  const lines = changes.filter((change) => change.level === level).map(formatChange);
  console.log(`${lines.length} ${level} changes since ${release}${lines.map((line) => `\n  ${line}`).join('')}`);
}
for (const line of unexplained) console.error(`Breaking since ${release}: ${line}`);
for (const line of errors) console.error(`docs/releases/intended-changes.json: ${line}`);
process.exit(unexplained.length + errors.length > 0 ? 1 : 0);
