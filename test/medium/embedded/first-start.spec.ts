import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createTempFolder } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';

describe('the first start on the embedded database', () => {
  const running: ServiceProcess[] = [];
  afterEach(() => Promise.all(running.splice(0).map((service) => service.stop('SIGKILL'))));

  async function start(env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(env);
    running.push(service);
    return service;
  }

  it('requires only a folder and protects its secret', async () => {
    const dataDir = join(createTempFolder(), 'made', 'by', 'the', 'service');
    const service = await start({ DATA_DIR: dataDir });
    expect(readFileSync(join(dataDir, 'app-secret'), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    expect(statSync(join(dataDir, 'app-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await ForeignAccountDevice.signUp(service.http);
  });

  it('starts again after it was killed while creating the database', async () => {
    const dataDir = join(createTempFolder(), 'data');
    const first = await ServiceProcess.launchProcess({ DATA_DIR: dataDir });
    while (!existsSync(join(dataDir, 'pg', 'PG_VERSION')) && first.isRunning) await sleep(1);
    expect((await first.stop('SIGKILL')).signal).toBe('SIGKILL');
    await ForeignAccountDevice.signUp((await start({ DATA_DIR: dataDir })).http);
  });
});
