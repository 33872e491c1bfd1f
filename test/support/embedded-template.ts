import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/bootstrap';
import { loadConfig } from '../../src/config';

/** Makes one migrated data folder for all test files to copy: initdb takes seconds, a copy none. */
export default async function setup(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'external-api-template-'));
  const app = await createApp(loadConfig({ DATA_DIR: dir, LOG_LEVEL: 'silent' }));
  await app.close();
  rmSync(join(dir, 'app-secret'));
  process.env.TEST_EMBEDDED_TEMPLATE = dir;
}
