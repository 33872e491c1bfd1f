/**
 * Runs `generate.mjs --check`, unless that has passed before with the same sources, tools and documents. It is the one
 * check that starts the application.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ACTION_BUNDLE } from './action-bundle.mjs';
import { CLIENT_TYPES } from './client-types.mjs';
import { ensureFilesBuilt, OPENAPI_FILES, root } from './lib.mjs';
import { SCHEMA_SNAPSHOT } from './schema-snapshot.mjs';

const RECORD_FILE = join(root, 'node_modules', '.cache', 'external-api', 'generated-files');
const GENERATED_FILES = [
  ...OPENAPI_FILES,
  'docs/route-policy.md',
  'docs/device-permissions.md',
  'docs/guide/authentication.md',
  'docs/guide/webhooks.md',
  CLIENT_TYPES,
  ACTION_BUNDLE,
  SCHEMA_SNAPSHOT,
];

ensureFilesBuilt();
const state = hashState();
if (state !== null && state === readRecord()) {
  console.log('Generated files and their sources have not changed since they were checked.');
  process.exit(0);
}
const { status } = spawnSync(process.execPath, [join(root, 'tools', 'generate.mjs'), '--check'], { stdio: 'inherit' });
if (status === 0 && state !== null) {
  mkdirSync(dirname(RECORD_FILE), { recursive: true });
  writeFileSync(RECORD_FILE, state);
}
process.exit(status ?? 1);

/** Returns the hash of all that determines the result: the build's own record has the hashes of all sources. */
function hashState() {
  const tools = readdirSync(join(root, 'tools'), { recursive: true }).filter((path) => /\.(mjs|cjs)$/.test(path));
  const clientSources = ['clients/typescript/src', 'clients/github-action/src', 'packages/forward-proxy'].flatMap(
    listSources,
  );
  const files = [
    'dist/.build.json',
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
    ...tools.sort().map((path) => join('tools', path)),
    ...clientSources,
    ...GENERATED_FILES,
  ];
  const hash = createHash('sha256').update(process.version);
  try {
    for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  } catch {
    // A generated file is missing, which the check reports.
    return null;
  }
  return hash.digest('base64');
}

function listSources(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true }).filter((path) => path.endsWith('.ts'));
  return paths.sort().map((path) => join(folder, path));
}

function readRecord() {
  try {
    return readFileSync(RECORD_FILE, 'utf8');
  } catch {
    return null;
  }
}
