/** Writes the generated documents from the running application. With --check, only reports which are out of date. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLIENT_TYPES, clientTypes } from './client-types.mjs';
import { ensureBuilt, root } from './lib.mjs';

ensureBuilt();
const require = createRequire(import.meta.url);
const { createApp } = require('../dist/src/bootstrap.js');
const { loadConfig } = require('../dist/src/core/config/index.js');
const { buildGeneratedDocuments } = require('../dist/tools/documents/index.js');

const check = process.argv.includes('--check');
// The service reads openapi.json at startup. A broken file must not prevent its generation.
if (!check) ensureReadable(join(root, 'openapi.json'));
const dataDir = mkdtempSync(join(tmpdir(), 'external-api-generate-'));
const app = await createApp(loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }));
await app.init();
const documents = buildGeneratedDocuments(app);
await app.close();
rmSync(dataDir, { recursive: true });
documents[CLIENT_TYPES] = await clientTypes(documents['openapi.json']);

const stale = [];
for (const [path, text] of Object.entries(documents)) {
  const file = join(root, path);
  let present = null;
  try {
    present = readFileSync(file, 'utf8');
  } catch {
    // The file doesn't exist yet.
  }
  if (present === text) continue;
  stale.push(path);
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (check && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run npm run generate and commit the result.`);
  process.exit(1);
}
console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Generated files are up to date.');
process.exit(0);

function ensureReadable(file) {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    writeFileSync(file, '{}\n');
  }
}
