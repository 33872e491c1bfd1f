import { AccountDevice, ForeignDevice } from '../../support/device/foreign-device';
import { migratedFolder, newFolder, removeFolders } from '../../support/data-folder';
import { ServiceProcess } from '../../support/service-process';

describe('what the embedded database has acknowledged', () => {
  let service: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = { DATA_DIR: migratedFolder() };
    service = await ServiceProcess.start(env);
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    removeFolders();
  });

  /** The same device at the service that runs now. */
  function returning(device: AccountDevice): ForeignDevice {
    return Object.assign(new ForeignDevice(service.http), {
      signing: device.signing,
      encryption: device.encryption,
      token: device.token,
    });
  }

  it('survives a clean restart: accounts, device tokens and access tokens', async () => {
    const ada = await AccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['sessions:read']);
    await service.stop();
    service = await ServiceProcess.start(env);
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    expect((await returning(ada).signIn()).account.id).toBe(ada.accountId);
  });

  it('survives SIGKILL right after the answer, time after time', async () => {
    const accounts: AccountDevice[] = [];
    for (let round = 0; round < 3; round++) {
      const made = await Promise.all(Array.from({ length: 5 }, () => AccountDevice.signUp(service.http)));
      await service.stop('SIGKILL');
      accounts.push(...made);
      service = await ServiceProcess.start(env);
    }
    for (const account of accounts) {
      expect((await returning(account).signIn()).account.username).toBe(account.username);
    }
  });

  it('survives SIGKILL in the midst of other writes', async () => {
    const acknowledged: AccountDevice[] = [];
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) acknowledged.push(await AccountDevice.signUp(service.http));
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

  it('lies in a folder whose path is longer than a socket address', async () => {
    const deep = migratedFolder([newFolder(), ...Array.from({ length: 12 }, () => 'a-deep-folder')].join('/'));
    expect(deep.length).toBeGreaterThan(108);
    await service.stop();
    service = await ServiceProcess.start({ DATA_DIR: deep }, { cwd: '/' });
    await AccountDevice.signUp(service.http);
  });
});
