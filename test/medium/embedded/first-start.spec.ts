import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountDevice } from '../../support/device/foreign-device';
import { newFolder, removeFolders } from '../../support/data-folder';
import { ServiceProcess } from '../../support/service-process';

describe('the first start on the embedded database', () => {
  const running: ServiceProcess[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')));
    removeFolders();
  });

  async function start(env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(env);
    running.push(service);
    return service;
  }

  it('needs nothing but a folder, and keeps its secret to its owner', async () => {
    const dataDir = join(newFolder(), 'made', 'by', 'the', 'service');
    const service = await start({ DATA_DIR: dataDir });
    expect(readFileSync(join(dataDir, 'app-secret'), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    expect(statSync(join(dataDir, 'app-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await AccountDevice.signUp(service.http);
  });

  it('begins anew after it was killed while it made the database', async () => {
    const dataDir = join(newFolder(), 'data');
    const first = await ServiceProcess.launch({ DATA_DIR: dataDir });
    while (!existsSync(join(dataDir, 'pg', 'PG_VERSION')) && first.isRunning) await sleep(1);
    expect((await first.stop('SIGKILL')).signal).toBe('SIGKILL');
    await AccountDevice.signUp((await start({ DATA_DIR: dataDir })).http);
  });
});
