import { setTimeout as sleep } from 'node:timers/promises';
import { admin, adminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { describeServices } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';

const WITHIN_MS = 1_000;

describeServices('npm run admin beside two running instances', () => {
  let backend: Backend;
  let instances: ServiceProcess[];
  let ada: AccountDevice;
  let token: string;

  beforeAll(async () => {
    backend = await createBackend('services');
    const start = () => ServiceProcess.start({ RATE_LIMIT_METADATA: '1000000', ...backend.env });
    instances = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all(instances?.map((instance) => instance.stop('SIGKILL')) ?? []);
    await backend?.dispose();
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(instances[0]!.http);
    token = (await ada.createToken(['machines:invoke'])).token;
  });

  const run = (...args: string[]) => adminJson(backend.env, ...args);

  /**
   * Calls every instance every 10 ms while the command runs, so that their look-ups are always fresh, and says how long
   * after its end the last of them still answered as before, in ms.
   */
  async function lag(
    isNew: (answer: { status: number; headers: Headers }) => boolean,
    command: () => Promise<unknown>,
  ) {
    let lastOld = -Infinity;
    let over = false;
    const watch = async ({ http }: ServiceProcess) => {
      while (!over) {
        const sentAt = performance.now();
        if (!isNew(await http.get('/external/v1/me', token))) lastOld = Math.max(lastOld, sentAt);
        await sleep(10);
      }
    };
    const watching = instances.map(watch);
    await sleep(200);
    expect(lastOld).toBeGreaterThan(0);
    await command();
    const endedAt = performance.now();
    await sleep(WITHIN_MS + 500);
    over = true;
    await Promise.all(watching);
    return lastOld - endedAt;
  }

  it('suspends an account on all of them within a second, its sockets too, and resumes it', async () => {
    const machine = await ada.adopt('machine');
    const sockets = await Promise.all(
      [machine, ada].map(({ token: of }, n) => DeviceSocket.connect(instances[n]!.http.url, of, [])),
    );
    const refused = ({ status }: { status: number }) => status === 403;
    const served = ({ status }: { status: number }) => status === 200;
    let closedAt = Infinity;
    const closing = Promise.all(sockets.map(({ disconnected }) => disconnected)).then(() => {
      closedAt = performance.now();
    });
    let endedAt = 0;
    const suspended = await lag(refused, async () => {
      const { username, suspendedAt } = await run('suspend', ada.username);
      expect({ username, suspendedAt }).toEqual({ username: ada.username, suspendedAt: expect.any(Number) });
      endedAt = performance.now();
    });
    expect(suspended).toBeLessThan(WITHIN_MS);
    await closing;
    expect(closedAt - endedAt).toBeLessThan(WITHIN_MS);
    const resumed = await lag(served, async () => {
      expect((await run('resume', ada.accountId)).suspendedAt).toBeNull();
    });
    expect(resumed).toBeLessThan(WITHIN_MS);
  });

  it('sets limits that all of them go by within a second', async () => {
    const limitIs = (limit: string) => (answer: { headers: Headers }) =>
      answer.headers.get('x-ratelimit-limit') === limit;
    const set = await lag(limitIs('100000'), async () => {
      const { ownLimits, plan } = await run('limits', ada.username, 'metadataPerMinute=100000', 'maxApps=2');
      expect(ownLimits).toEqual({ metadataPerMinute: 100_000, maxApps: 2 });
      expect(plan).toMatchObject({ name: 'custom', limits: { metadataPerMinute: 100_000, maxTokens: 50 } });
    });
    expect(set).toBeLessThan(WITHIN_MS);
    const { ownLimits } = await run('limits', ada.username, 'metadataPerMinute=default');
    expect(ownLimits).toEqual({ maxApps: 2 });
  });

  it('tells what became of a relayed call, and nothing of what it said', async () => {
    const machine = await ada.adopt('machine');
    const { data } = ok(
      await instances[0]!.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const answer = await instances[1]!.http.post(`/external/v1/machines/${data.id}/invoke`, token, {
      command: 'a-command-that-nobody-may-see',
    });
    expect(answer.status).toBe(503);
    await sleep(1_000);
    const call = await run('call', answer.body.requestId);
    expect(call).toMatchObject({
      requestId: answer.body.requestId,
      accountId: ada.accountId,
      username: ada.username,
      method: 'machine.invoke',
      machineId: data.id,
      status: 503,
      code: 'no_online_device',
      outcome: 'not_delivered',
      createdAt: expect.any(Number),
    });
    expect(JSON.stringify(call)).not.toContain('nobody-may-see');
  });

  it.each([
    [['account', 'nobody'], 1, 'error: There is no account "nobody".'],
    [['suspend', 'nobody'], 1, 'error: There is no account "nobody".'],
    [['limits', 'nobody', 'maxApps=1'], 1, 'error: There is no account "nobody".'],
    [['call', 'req_00000000000000000000000000'], 1, 'error: No relayed call is kept as'],
    [['call', 'nonsense'], 1, 'error: No relayed call is kept as "nonsense"'],
    [['suspend'], 2, 'usage: suspend takes NAME.'],
    [['limits', 'ada'], 2, 'usage: limits takes NAME LIMIT=NUMBER....'],
    [['suspend', 'ada', 'bob'], 2, 'usage: "bob" is one argument too many.'],
    [['limits', 'ada', 'maxPageSize=3'], 2, 'usage: "maxPageSize=3" is not one of these'],
    [['limits', 'ada', 'maxApps=-1'], 2, 'usage: "maxApps=-1" is not one of these'],
    [['limits', 'ada', 'relayPerMinute=0'], 2, 'usage: "relayPerMinute=0": use suspend for that'],
    [['constructor'], 2, 'usage: There is no command "constructor".'],
  ])('ends %j with status %i', async (args, status, text) => {
    const { code, stdout, stderr } = await admin(backend.env, ...args);
    expect(stderr).toContain(text);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
  });
});
