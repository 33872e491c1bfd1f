import { setTimeout as sleep } from 'node:timers/promises';
import { createMigratedFolder } from '../support/temp-folder';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { createMigratedDatabase, describeWithPostgres } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';

/** Maximum time of calls that a crash may lose (docs/protocol/external-api.md#usage). */
const MAX_LOSS_MS = 1_000;

async function describeUsageDurability(env: NodeJS.ProcessEnv): Promise<void> {
  let service = await ServiceProcess.start(env);
  try {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['usage:read']);
    for (let call = 0; call < 25; call++) await service.http.get('/external/v1/me', token);
    await sleep(MAX_LOSS_MS);
    await service.stop('SIGKILL');

    service = await ServiceProcess.start(env);
    const { body } = await service.http.get('/external/v1/usage?groupBy=operation&order=asc', token);
    expect(body.data[0]).toMatchObject({ operation: 'getMe', requests: 25 });
  } finally {
    await service.stop('SIGKILL');
  }
}

describe('usage on the embedded database', () => {
  it('keeps all calls older than a second when the process is killed', () =>
    describeUsageDurability({ DATA_DIR: createMigratedFolder() }));
});

describeWithPostgres('usage on PostgreSQL', () => {
  it('keeps all calls older than a second when the process is killed', async () => {
    const { env, dropDatabase } = await createMigratedDatabase();
    try {
      await describeUsageDurability(env);
    } finally {
      await dropDatabase();
    }
  });
});
