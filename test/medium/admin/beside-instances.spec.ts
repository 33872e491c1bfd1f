import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 1_000;

describeWithServices('npm run admin beside two running instances', () => {
  let backend: Backend;
  let instances: ServiceProcess[];
  let ada: ForeignAccountDevice;
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
    ada = await ForeignAccountDevice.signUp(instances[0]!.http);
    token = (await ada.createToken(['machines:invoke'])).token;
  });

  const run = (...args: string[]) => runAdminJson(backend.env, ...args);

  /**
   * Calls every instance every 10 ms while the command runs, which refreshes their look-ups. Returns the ms between the
   * end of the command and the last response with the old state.
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
    await waitFor(() => expect(lastOld).toBeGreaterThan(0));
    await command();
    const endedAt = performance.now();
    await sleep(WITHIN_MS + 500);
    over = true;
    await Promise.all(watching);
    return lastOld - endedAt;
  }

  it('suspends an account with its sockets on all instances within a second, and resumes it', async () => {
    const machine = await ada.pairDevice('machine');
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

  it('sets limits that all instances apply within a second', async () => {
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
    expect(await run('account', ada.accountId)).toEqual({
      id: ada.accountId,
      username: ada.username,
      createdAt: expect.any(Number),
      suspendedAt: null,
      ownLimits: { maxApps: 2 },
      storageBytes: 0,
      plan: { name: 'custom', limits: expect.objectContaining({ maxApps: 2, metadataPerMinute: 600 }) },
    });
  });

  it('records its acts in the audit trail of the account, with the reason, but without the operator', async () => {
    await run('suspend', ada.username, '--reason', 'reported as spam');
    await run('resume', ada.username);
    await run('limits', ada.username, 'maxApps=2', '--reason=agreed');
    expect((await runAdminProgram(backend.env, 'suspend', 'nobody', '--reason=x')).code).toBe(1);
    expect((await runAdminProgram(backend.env, 'suspend', ada.username, '--reason= ')).code).toBe(2);
    const { data } = expectStatus(await instances[1]!.http.get('/v1/audit-events', ada.token), 200);
    const target = { kind: 'account', id: ada.accountId, name: null };
    const actor = { kind: 'operator', id: null, name: null };
    expect(data).toMatchObject([
      { act: 'account.limits_changed', actor, target, reason: 'agreed', address: null, userAgent: null },
      { act: 'account.resumed', actor, target, reason: null },
      { act: 'account.suspended', actor, target, reason: 'reported as spam' },
      { act: 'token.created' },
      { act: 'account.created' },
    ]);
    const { stdout } = await runAdminProgram(backend.env, 'invite', '--reason=a new colleague');
    expect(stdout).toMatch(/^[0-9a-f]{36}\n$/);
    const database = new Client({ connectionString: backend.env.DATABASE_URL });
    await database.connect();
    const { rows } = await database.query(
      `SELECT account_id, actor_kind, reason FROM audit_events WHERE act = 'invitation.created'`,
    );
    await database.end();
    expect(rows).toEqual([{ account_id: null, actor_kind: 'operator', reason: 'a new colleague' }]);
  });

  it('prints JSON and remarks for people, and one line of JSON for scripts', async () => {
    const { stdout, stderr } = await runAdminProgram(backend.env, 'suspend', ada.username);
    expect(stdout).toMatch(/^\{\n {2}"id": "acc_\w+",\n/);
    expect(stderr).toContain('Every instance rejects its credentials within a second.');
    for (const [args, line] of [
      [['resume', ada.username], /^\{"id":"acc_\w+",.+\}\n$/],
      [['accounts', '--prefix', ada.username], /^\[\{"id":"acc_\w+",.+\}\]\n$/],
      [['invite'], /^\{"code":"[0-9a-f]{36}","expiresAt":\d{13}\}\n$/],
    ] as const) {
      const printed = await runAdminProgram(backend.env, ...args, '--json');
      expect(printed).toEqual({ code: 0, stdout: expect.stringMatching(line), stderr: '' });
    }
  });

  it('finds accounts by their records, state and size', async () => {
    const machine = await ada.pairDevice('machine');
    const { id: tokenId, token: manager } = await ada.createToken(['sessions:read', 'webhooks:manage']);
    const app = await ThirdPartyApp.register(ada);
    const hook = { url: 'https://receiver.example/hook', events: ['session.created'] };
    const { data: webhook } = expectStatus(await instances[0]!.http.post('/external/v1/webhooks', manager, hook), 201);
    const usernames = async (...args: string[]) =>
      (await run('accounts', ...args)).map(({ username }: any) => username);
    const searches = [
      ['--device', machine.id],
      ['--token', tokenId],
      ['--app', app.clientId],
      ['--webhook', webhook.id],
      ['--prefix', ada.username],
      ['--prefix', ada.username.slice(0, -1), '--device', ada.id],
    ];
    for (const search of searches) expect(await usernames(...search)).toEqual([ada.username]);
    const bob = await ForeignAccountDevice.signUp(instances[0]!.http);
    expect(await usernames('--device', ada.id, '--prefix', bob.username)).toEqual([]);
    expect(await usernames('--suspended')).toEqual([]);
    await run('suspend', bob.username);
    expect(await usernames('--suspended')).toEqual([bob.username]);
    await run('resume', bob.username);
    await ada.createSession(ada);
    const largest = await run('accounts', '--largest', '--limit=1');
    expect(largest).toMatchObject([{ username: ada.username, storageBytes: expect.any(Number), suspendedAt: null }]);
    const members = ['createdAt', 'id', 'ownLimits', 'storageBytes', 'suspendedAt', 'username'];
    expect(Object.keys(largest[0]).sort()).toEqual(members);
    const all: string[] = await usernames('--limit=1000');
    expect(all).toEqual([...all].sort());
    expect(all).toEqual(expect.arrayContaining([ada.username, bob.username]));
  });

  it('shows the outcome of a relayed call without its contents', async () => {
    const machine = await ada.pairDevice('machine');
    const { data } = expectStatus(
      await instances[0]!.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const httpResponse = await instances[1]!.http.post(`/external/v1/machines/${data.id}/invoke`, token, {
      command: 'a-command-that-nobody-may-see',
    });
    expect(httpResponse.status).toBe(503);
    await sleep(1_000);
    const call = await run('call', httpResponse.body.requestId);
    expect(call).toMatchObject({
      requestId: httpResponse.body.requestId,
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
    [['account', 'nobody'], 1, 'error: Account "nobody" doesn\'t exist.'],
    [['suspend', 'nobody'], 1, 'error: Account "nobody" doesn\'t exist.'],
    [['limits', 'nobody', 'maxApps=1'], 1, 'error: Account "nobody" doesn\'t exist.'],
    [['call', 'req_00000000000000000000000000'], 1, 'error: No relayed call with the request id'],
    [['call', 'nonsense'], 1, 'error: No relayed call with the request id "nonsense"'],
    [['suspend'], 2, "error: missing required argument 'name'"],
    [['limits', 'ada'], 2, "error: missing required argument 'limit=number'"],
    [['suspend', 'ada', 'bob'], 2, "error: too many arguments for 'suspend'. Expected 1 argument but got 2."],
    [['limits', 'ada', 'maxPageSize=3'], 2, "error: command-argument value 'maxPageSize=3' is invalid"],
    [['limits', 'ada', 'maxApps=-1'], 2, "error: command-argument value 'maxApps=-1' is invalid"],
    [['limits', 'ada', 'relayPerMinute=0'], 2, 'This would block the account. Use suspend instead.'],
    [['accounts', '--limit=0'], 2, "error: option '--limit <number>' argument '0' is invalid"],
    [['accounts', '--limit=1001'], 2, 'Use a number from 1 to 1000.'],
    [['suspend', 'ada', `--reason=${'x'.repeat(501)}`], 2, 'Use 1 to 500 characters.'],
    [['constructor'], 2, "error: unknown command 'constructor'"],
  ])('ends %j with status %i', async (args, status, text) => {
    const { code, stdout, stderr } = await runAdminProgram(backend.env, ...args);
    expect(stderr).toContain(text);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
  });
});
