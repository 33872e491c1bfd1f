import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/bootstrap';
import { loadConfig } from '../../src/config';
import { removeOrphans, scratchFolder } from './scratch';

/** Makes one migrated data folder for all test files to copy: initdb takes seconds, a copy none. */
export default async function setup(): Promise<void> {
  removeOrphans();
  const dir = scratchFolder();
  const app = await createApp(loadConfig({ DATA_DIR: dir, LOG_LEVEL: 'silent' }));
  await app.close();
  rmSync(join(dir, 'app-secret'));
  process.env.TEST_EMBEDDED_TEMPLATE = dir;
}
