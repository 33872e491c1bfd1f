/**
 * Starts programs of the build once, so that their bundles have V8's compiled code where no program can write it later,
 * as in an image.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export async function writeCodeCaches(folder) {
  const programs = join(folder, 'dist', 'programs');
  await startService(join(programs, 'service.js'));
  const { status, stderr } = spawnSync(process.execPath, [join(programs, 'admin.js'), '--help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The admin program can't be started:\n${stderr}`);
}

/** Starts the service on a new embedded database and stops it when it listens. */
async function startService(main) {
  const dataDir = mkdtempSync(join(tmpdir(), 'external-api-build-'));
  const env = { DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1' };
  const service = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.includes('"listening"')) service.kill('SIGTERM');
  }
  const [status] = await exited;
  rmSync(dataDir, { recursive: true });
  if (status !== 0) throw new Error('The service of this build does not start.');
}
