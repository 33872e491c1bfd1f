/** Writes the documents that describe the application. With --check, only reports which are out of date. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Test } from '@nestjs/testing';
import { ACTION_BUNDLE, bundleAction } from './action-bundle.mjs';
import { CLIENT_TYPES, clientTypes, DEVICE_RECORD_TYPES, deviceRecordTypes } from './client-types.mjs';
import { DEVICE_ANSWERS, deviceAnswers } from './documented-answers.mjs';
import { ensureFilesBuilt, OPENAPI_FILES, root } from './lib.mjs';
import { SCHEMA_SNAPSHOT, schemaSnapshot } from './schema-snapshot.mjs';
import { compileDtosWithSchemas } from './swagger-plugin.mjs';

ensureFilesBuilt();
const require = createRequire(import.meta.url);
await loadDtosWithSchemas();
const { DataSource } = require('typeorm');
const { RoutePolicyValidator } = require('../dist/src/access/auth/index.js');
const { AppModule } = require('../dist/src/app.module.js');
const { loadConfig } = require('../dist/src/core/config/index.js');
const { buildGeneratedDocuments } = require('../dist/tools/documents/index.js');

const check = process.argv.includes('--check');
// The service reads its OpenAPI documents at startup. A broken file must not prevent its generation.
if (!check) OPENAPI_FILES.forEach((path) => ensureReadable(join(root, path)));
const app = await createUnstartedApp();
// A started application validates this itself.
app.get(RoutePolicyValidator, { strict: false }).onApplicationBootstrap();
const documents = buildGeneratedDocuments(app);
documents[CLIENT_TYPES] = await clientTypes(documents['openapi.json']);
documents[DEVICE_RECORD_TYPES] = await deviceRecordTypes(documents['docs/protocol/device-openapi.json']);
documents[DEVICE_ANSWERS] = deviceAnswers(documents['docs/protocol/device-openapi.json']);
documents[ACTION_BUNDLE] = await bundleAction();
documents[SCHEMA_SNAPSHOT] = await schemaSnapshot();

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

/** Makes the application below load DTOs with schemas in place of those of the build. */
async function loadDtosWithSchemas() {
  const compiled = await compileDtosWithSchemas();
  const loadJavaScript = require.extensions['.js'];
  require.extensions['.js'] = (module, filename) => {
    const code = compiled.get(filename);
    if (code === undefined) loadJavaScript(module, filename);
    else module._compile(code, filename);
  };
}

/** Creates the application without a database, which takes seconds to create and which no document needs. */
async function createUnstartedApp() {
  const dataDir = mkdtempSync(join(tmpdir(), 'external-api-generate-'));
  try {
    const module = Test.createTestingModule({ imports: [AppModule.forRoot(loadConfig({ DATA_DIR: dataDir }))] })
      .overrideProvider(DataSource)
      .useValue(new DataSource({ type: 'postgres' }));
    return (await module.compile()).createNestApplication();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

function ensureReadable(file) {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    writeFileSync(file, '{}\n');
  }
}
