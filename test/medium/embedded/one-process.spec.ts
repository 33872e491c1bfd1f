import { AccountDevice } from '../../support/device/foreign-device';
import { migratedFolder, removeFolders } from '../../support/data-folder';
import { ServiceProcess } from '../../support/service-process';

describe('a second process on one data folder', () => {
  let first: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = { DATA_DIR: migratedFolder() };
    first = await ServiceProcess.start(env);
  });
  afterAll(async () => {
    await first.stop('SIGKILL');
    removeFolders();
  });

  it('leaves within seconds, says why in one line, and does no harm', async () => {
    const ada = await AccountDevice.signUp(first.http);
    const startedAt = Date.now();
    const { code, stdout, stderr } = await ServiceProcess.run(env);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `The data folder ${env.DATA_DIR} is in use by another running process. ` +
        'Stop that one, or give this one a DATA_DIR of its own.\n',
    );
    expect((await first.http.get('/v1/account/external-tokens', ada.token)).status).toBe(200);
    await ada.signIn();
  });

  it('starts once the first was killed', async () => {
    const ada = await AccountDevice.signUp(first.http);
    await first.stop('SIGKILL');
    first = await ServiceProcess.start(env);
    expect((await first.http.get('/v1/devices', ada.token)).status).toBe(200);
  });

  it('starts once the first was stopped', async () => {
    expect(await first.stop('SIGINT')).toMatchObject({ code: 0, signal: null });
    first = await ServiceProcess.start(env);
  });
});
