import { admin, adminJson } from '../../support/admin-cli';
import { migratedFolder, removeFolders } from '../../support/data-folder';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { ServiceProcess } from '../../support/service-process';

describe('npm run admin on the embedded database', () => {
  let env: NodeJS.ProcessEnv;
  let token: string;
  let service: ServiceProcess | undefined;
  beforeAll(() => {
    env = { DATA_DIR: migratedFolder(), SIGNUP: 'closed' };
  });
  afterEach(async () => void (await service?.stop('SIGKILL')));
  afterAll(removeFolders);

  const start = async () => {
    service = await ServiceProcess.start(env);
    return service.http;
  };
  const stop = () => service!.stop();

  it('invites the first account, and touches nothing beside a running service', async () => {
    const invitation = (await admin(env, 'invite')).stdout.trim();
    const ada = new AccountDevice(await start(), 'first device');
    ok(await ada.trySignUp('ada', { invitation }), 201);
    await ada.signIn();
    token = (await ada.createToken(['usage:read'])).token;
    const busy = await admin(env, 'suspend', 'ada');
    expect(busy).toMatchObject({ code: 1, stdout: '' });
    expect(busy.stderr).toContain('On the embedded database the service has to be stopped first.');
    expect((await service!.http.get('/external/v1/me', token)).status).toBe(200);
    await stop();
  });

  it('suspends that account and sets its limits while the service stands still, and takes both back', async () => {
    expect(await adminJson(env, 'suspend', 'ada')).toMatchObject({ suspendedAt: expect.any(Number) });
    expect(await adminJson(env, 'limits', 'ada', 'maxTokens=1')).toMatchObject({
      ownLimits: { maxTokens: 1 },
    });
    expect((await (await start()).get('/external/v1/me', token)).status).toBe(403);
    await stop();
    expect(await adminJson(env, 'resume', 'ada')).toMatchObject({ suspendedAt: null });
    expect(await adminJson(env, 'limits', 'ada', 'maxTokens=default')).toMatchObject({
      username: 'ada',
      suspendedAt: null,
      ownLimits: {},
      plan: { name: 'standard' },
      storageBytes: 0,
    });
    expect((await (await start()).get('/external/v1/me', token)).status).toBe(200);
  });
});
