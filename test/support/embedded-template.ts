import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/bootstrap';
import { loadConfig } from '../../src/config';
import { ensureBuilt } from './ensure-built';
import { removeOrphans, scratchFolder } from './scratch';

/** Makes one migrated data folder for all test files to copy: initdb takes seconds, a copy none. */
export default async function setup(): Promise<void> {
  await ensureBuilt();
  removeOrphans();
  const dir = scratchFolder();
  const app = await createApp(loadConfig({ DATA_DIR: dir, LOG_LEVEL: 'silent' }));
  await app.close();
  for (const secret of ['app-secret', 'grant-keys']) rmSync(join(dir, secret));
  process.env.TEST_EMBEDDED_TEMPLATE = dir;
}
