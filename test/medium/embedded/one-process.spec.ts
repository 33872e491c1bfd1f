import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createMigratedFolder } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';

describe('a second process on one data folder', () => {
  let first: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = { DATA_DIR: createMigratedFolder() };
    first = await ServiceProcess.start(env);
  });
  afterAll(() => first.stop('SIGKILL'));

  it('exits by itself with one line and without any effect', async () => {
    const ada = await ForeignAccountDevice.signUp(first.http);
    const { code, stdout, stderr } = await ServiceProcess.runUntilExit(env);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      `The data folder ${env.DATA_DIR} is in use by another running process. ` +
        'Stop that process, or set another DATA_DIR for this one.\n',
    );
    expect((await first.http.get('/v1/account/external-tokens', ada.token)).status).toBe(200);
    await ada.signIn();
  });

  it('starts after the first was killed', async () => {
    const ada = await ForeignAccountDevice.signUp(first.http);
    await first.stop('SIGKILL');
    first = await ServiceProcess.start(env);
    expect((await first.http.get('/v1/devices', ada.token)).status).toBe(200);
  });

  it('starts after the first was stopped', async () => {
    expect(await first.stop('SIGINT')).toMatchObject({ code: 0, signal: null });
    first = await ServiceProcess.start(env);
  });
});
