/**
 * Fails unless every direct dependency has an exact version and a row in docs/dependencies.md, the packages of this
 * repository have the same versions, and every locked package has an allowed licence, a checksum, and runs on every
 * Node version that package.json promises.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { isAllowed } from './dependencies/licences.mjs';
import { lockedPackages } from './dependencies/locked-packages.mjs';
import { root } from './lib.mjs';

const DOCUMENT = 'docs/dependencies.md';
/** Packages whose parts are bundled. */
const PACKAGES = [
  'packages/forward-proxy/package.json',
  'packages/pages/package.json',
  'packages/protocol/package.json',
  'clients/console/package.json',
  'clients/device/package.json',
  'clients/docs/package.json',
  'clients/quickstart/package.json',
  'clients/typescript/package.json',
];
const OWN = /^@external-api\//;
const EXACT = /^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;

const manifest = JSON.parse(read('package.json'));
const groups = [
  { versions: manifest.dependencies, heading: '## In the service' },
  { versions: manifest.devDependencies, heading: '## In development' },
  { versions: JSON.parse(read('clients/mcp/package.json')).devDependencies, heading: '## In the MCP server' },
];
const violations = [
  ...groups.flatMap(({ versions, heading }) => [...inexact(versions), ...undocumented(versions, heading)]),
  ...PACKAGES.flatMap(findOtherVersions),
  ...inexactOverrides(manifest.overrides),
  ...lockedPackages().flatMap(findPackageViolations),
];
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exit(1);
console.log(
  'All dependencies are exact and documented, have an allowed licence, and run on every promised Node version.',
);

/** Two versions of a package would both be bundled, and differ in tests and programs. */
function findOtherVersions(path) {
  const { dependencies, devDependencies } = JSON.parse(read(path));
  const shared = { ...manifest.devDependencies, ...manifest.dependencies };
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name, version]) => !OWN.test(name) && version !== shared[name])
    .map(([name, version]) => `${path}: ${name} is ${version}, but ${shared[name]} in package.json`);
}

function inexact(versions) {
  return Object.entries(versions)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `package.json: ${name} is "${version}", which is not an exact version`);
}

/** Accepts `$name`, which refers to the version of a direct dependency. */
function inexactOverrides(overrides) {
  return Object.entries(overrides).flatMap(([name, value]) => {
    if (typeof value === 'object') return inexactOverrides(value);
    return value.startsWith('$') ? [] : inexact({ [name]: value });
  });
}

function undocumented(versions, heading) {
  const used = Object.keys(versions);
  const explained = explainedUnder(heading);
  return [
    ...used
      .filter((name) => !explained.includes(name))
      .map((name) => `${DOCUMENT}: "${heading}" has no row for ${name}`),
    ...explained
      .filter((name, index) => !used.includes(name) || explained.indexOf(name) !== index)
      .map((name) => `${DOCUMENT}: "${heading}" has an unused row for ${name}`),
  ];
}

/** Returns the names in the first column of a section's tables, if the second column has a reason. */
function explainedUnder(heading) {
  const [, section = ''] = read(DOCUMENT).split(`${heading}\n`);
  const [own] = section.split(/^## /m);
  return [...own.matchAll(/^\|([^|]+)\|\s*\S[^|]*\|$/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
}

function findPackageViolations(entry) {
  const { name, version, licence, integrity, node } = entry;
  const runsEverywhere = semver.subset(manifest.engines.node, node);
  return [
    ...(isAllowed(entry) ? [] : [`${name} ${version}: ${licence ?? 'an unknown licence'} is not allowed`]),
    ...(integrity ? [] : [`${name} ${version}: package-lock.json has no checksum`]),
    ...(runsEverywhere ? [] : [`${name} ${version}: requires Node ${node}, less than engines in package.json`]),
  ];
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
