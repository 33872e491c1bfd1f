import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { endPostgresRun } from '../postgres-template';

export default async function tearDownClients(): Promise<void> {
  const { TEST_CLIENT_TARBALL: tarball, TEST_CLIENT_FOLDER: folder } = process.env;
  if (tarball) rmSync(dirname(tarball), { recursive: true, force: true });
  if (folder) rmSync(folder, { recursive: true, force: true });
  await endPostgresRun();
}
