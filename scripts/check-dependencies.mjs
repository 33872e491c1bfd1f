/** Direct dependencies: exact, each with its line in docs/dependencies.md. All of them: a licence we allow, a checksum. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from './dependencies/licences.mjs';
import { lockedPackages } from './dependencies/locked-packages.mjs';
import { root } from './lib.mjs';

const DOCUMENT = 'docs/dependencies.md';
const SECTIONS = { dependencies: '## In the service', devDependencies: '## In development' };
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

const manifest = JSON.parse(read('package.json'));
const faults = [
  ...Object.keys(SECTIONS).flatMap((kind) => [...inexact(manifest[kind]), ...undocumented(kind)]),
  ...inexactOverrides(manifest.overrides),
  ...lockedPackages().flatMap(faultsOf),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log('Dependencies are exact, explained, and of licences we allow.');

function inexact(versions) {
  return Object.entries(versions)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `package.json: ${name} is "${version}", not one exact version`);
}

/** `$name` is the version of a direct dependency. */
function inexactOverrides(overrides) {
  return Object.entries(overrides).flatMap(([name, value]) => {
    if (typeof value === 'object') return inexactOverrides(value);
    return value.startsWith('$') ? [] : inexact({ [name]: value });
  });
}

function undocumented(kind) {
  const used = Object.keys(manifest[kind]);
  const explained = explainedUnder(SECTIONS[kind]);
  return [
    ...used
      .filter((name) => !explained.includes(name))
      .map((name) => `${DOCUMENT}: "${SECTIONS[kind]}" has no line for ${name}`),
    ...explained
      .filter((name, index) => !used.includes(name) || explained.indexOf(name) !== index)
      .map((name) => `${DOCUMENT}: "${SECTIONS[kind]}" has a line too many, for ${name}`),
  ];
}

/** The names in the first column of the tables of a section that say why in the second. */
function explainedUnder(heading) {
  const [, section = ''] = read(DOCUMENT).split(`${heading}\n`);
  const [own] = section.split(/^## /m);
  return [...own.matchAll(/^\|([^|]+)\|\s*\S[^|]*\|$/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
}

function faultsOf(entry) {
  const { name, version, licence, integrity } = entry;
  return [
    ...(isAllowed(entry) ? [] : [`${name} ${version}: ${licence ?? 'an unknown licence'} is not allowed`]),
    ...(integrity ? [] : [`${name} ${version}: package-lock.json has no checksum of it`]),
  ];
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
