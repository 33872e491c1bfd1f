import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/bootstrap';
import { loadConfig } from '../../src/core/config';
import { ensureServiceBuilt } from './ensure-service-built';
import { removeOrphanedFolders, createScratchFolder } from './scratch-folder';

/** Creates a migrated data folder that all test files copy, because initdb takes seconds. */
export default async function createEmbeddedTemplate(): Promise<void> {
  await ensureServiceBuilt();
  removeOrphanedFolders();
  const dir = createScratchFolder();
  const app = await createApp(loadConfig({ DATA_DIR: dir, LOG_LEVEL: 'silent' }));
  await app.close();
  for (const secret of ['app-secret', 'grant-keys']) rmSync(join(dir, secret));
  process.env.TEST_EMBEDDED_TEMPLATE = dir;
}
