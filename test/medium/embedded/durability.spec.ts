import { ForeignAccountDevice, ForeignDevice } from '../../support/device/foreign-device';
import { createMigratedFolder, createTempFolder } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';

describe('acknowledged data in the embedded database', () => {
  let service: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = { DATA_DIR: createMigratedFolder() };
    service = await ServiceProcess.start(env);
  });
  afterAll(() => service.stop('SIGKILL'));

  /** Returns the same device on the running service. */
  function returning(device: ForeignAccountDevice): ForeignDevice {
    return Object.assign(new ForeignDevice(service.http), {
      signing: device.signing,
      encryption: device.encryption,
      token: device.token,
    });
  }

  it('survives a clean restart: accounts, device tokens and access tokens', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['sessions:read']);
    await service.stop();
    service = await ServiceProcess.start(env);
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    expect((await returning(ada).signIn()).account.id).toBe(ada.accountId);
  });

  it('survives repeated SIGKILL right after the response', async () => {
    const accounts: ForeignAccountDevice[] = [];
    for (let round = 0; round < 3; round++) {
      const made = await Promise.all(Array.from({ length: 5 }, () => ForeignAccountDevice.signUp(service.http)));
      await service.stop('SIGKILL');
      accounts.push(...made);
      service = await ServiceProcess.start(env);
    }
    for (const account of accounts) {
      expect((await returning(account).signIn()).account.username).toBe(account.username);
    }
  });

  it('survives SIGKILL during other writes', async () => {
    const acknowledged: ForeignAccountDevice[] = [];
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) acknowledged.push(await ForeignAccountDevice.signUp(service.http));
    });
    const ends = Promise.allSettled(writers);
    while (acknowledged.length < 12) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.stop('SIGKILL');
    await ends;
    service = await ServiceProcess.start(env);
    for (const account of acknowledged) {
      expect((await returning(account).signIn()).account.id).toBe(account.accountId);
    }
  });

  it('is stored in a folder with a path longer than a socket address', async () => {
    const deep = createMigratedFolder(
      [createTempFolder(), ...Array.from({ length: 12 }, () => 'a-deep-folder')].join('/'),
    );
    expect(deep.length).toBeGreaterThan(108);
    await service.stop();
    service = await ServiceProcess.start({ DATA_DIR: deep }, { cwd: '/' });
    await ForeignAccountDevice.signUp(service.http);
  });
});
