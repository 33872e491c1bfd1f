import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createMigratedFolder } from '../../support/temp-folder';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ServiceProcess } from '../../support/service-process';

describe('npm run admin on the embedded database', () => {
  let env: NodeJS.ProcessEnv;
  let token: string;
  let service: ServiceProcess | undefined;
  beforeAll(() => {
    env = { DATA_DIR: createMigratedFolder(), SIGNUP: 'closed' };
  });
  afterEach(async () => void (await service?.stop('SIGKILL')));

  const start = async () => {
    service = await ServiceProcess.start(env);
    return service.http;
  };
  const stop = () => service!.stop();

  it('creates an invitation, but refuses to run beside a running service', async () => {
    const invitation = (await runAdminProgram(env, 'invite')).stdout.trim();
    const ada = new ForeignAccountDevice(await start(), 'first device');
    expectStatus(await ada.requestSignUp('ada', { invitation }), 201);
    await ada.signIn();
    token = (await ada.createToken(['usage:read'])).token;
    const busy = await runAdminProgram(env, 'suspend', 'ada');
    expect(busy).toMatchObject({ code: 1, stdout: '' });
    expect(busy.stderr).toContain('With the embedded database, stop the service first.');
    expect((await service!.http.get('/external/v1/me', token)).status).toBe(200);
    await stop();
  });

  it('suspends an account and sets its limits while the service is stopped, and reverts both', async () => {
    expect(await runAdminJson(env, 'suspend', 'ada')).toMatchObject({ suspendedAt: expect.any(Number) });
    expect(await runAdminJson(env, 'limits', 'ada', 'maxTokens=1')).toMatchObject({
      ownLimits: { maxTokens: 1 },
    });
    expect((await (await start()).get('/external/v1/me', token)).status).toBe(403);
    await stop();
    expect(await runAdminJson(env, 'resume', 'ada')).toMatchObject({ suspendedAt: null });
    expect(await runAdminJson(env, 'limits', 'ada', 'maxTokens=default')).toMatchObject({
      username: 'ada',
      suspendedAt: null,
      ownLimits: {},
      plan: { name: 'standard' },
      storageBytes: 0,
    });
    expect((await (await start()).get('/external/v1/me', token)).status).toBe(200);
  });
});
