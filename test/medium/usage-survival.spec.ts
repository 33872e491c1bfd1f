import { setTimeout as sleep } from 'node:timers/promises';
import { migratedFolder, removeFolders } from '../support/data-folder';
import { AccountDevice } from '../support/device/foreign-device';
import { createDatabase, describePostgres } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';

/** What a crash may lose (external-api.md §3). */
const LOST_AT_MOST_MS = 1_000;

async function keepsUsage(env: NodeJS.ProcessEnv): Promise<void> {
  let service = await ServiceProcess.start(env);
  try {
    const ada = await AccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['usage:read']);
    for (let call = 0; call < 25; call++) await service.http.get('/external/v1/me', token);
    await sleep(LOST_AT_MOST_MS);
    await service.stop('SIGKILL');

    service = await ServiceProcess.start(env);
    const { body } = await service.http.get('/external/v1/usage?groupBy=operation&order=asc', token);
    expect(body.data[0]).toMatchObject({ operation: 'getMe', requests: 25 });
  } finally {
    await service.stop('SIGKILL');
  }
}

describe('usage on the embedded database', () => {
  afterAll(removeFolders);

  it('keeps every call that is older than a second when the process is killed', () =>
    keepsUsage({ DATA_DIR: migratedFolder() }));
});

describePostgres('usage on PostgreSQL', () => {
  it('keeps every call that is older than a second when the process is killed', async () => {
    const { env, drop } = await createDatabase();
    await keepsUsage(env).finally(drop);
  });
});
