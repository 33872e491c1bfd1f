import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { generateId } from '../../src/common/ids';
import { REDIS_URL } from '../support/backend';
import { DeviceSocket, NO_RESPONSE } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { describeWithServices } from '../support/postgres';
import { computeSlowdown } from './support/bystander';
import { AttackTarget } from './support/attack-target';

const BURST = 2_000;
const FORGED_COMMAND = 'forged';

/** The service uses another database, but all databases of Redis share the channels. */
describeWithServices('an attacker who can publish to Redis', () => {
  let attackTarget: AttackTarget;
  let redis: Redis;
  let channel: string;
  let machine: { socket: DeviceSocket; accountId: string; deviceId: string; id: string };
  let token: string;

  beforeAll(async () => {
    attackTarget = await AttackTarget.start();
    const url = new URL(REDIS_URL);
    url.pathname = '/0';
    redis = new Redis(url.href);
    const own = new Redis(attackTarget.env.REDIS_URL!);
    const [lease] = await own.keys('relay:lease:*');
    own.disconnect();
    channel = lease!.replace('relay:lease:', 'relay:to:');
    expect(await redis.pubsub('CHANNELS', channel)).toEqual([channel]);

    const ada = await ForeignAccountDevice.signUp(attackTarget.http);
    ({ token } = await ada.createToken(['machines:read', 'machines:invoke']));
    const device = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = expectStatus(await attackTarget.http.post('/v1/machines', device.token, body), 201).data;
    const socket = await DeviceSocket.connect(attackTarget.service.http.url, device.token, ['machine.invoke']);
    machine = { socket, accountId: ada.accountId, deviceId: device.id, id };
  });
  afterAll(async () => {
    machine?.socket.close();
    redis?.disconnect();
    await attackTarget?.stop();
  });

  const publish = (head: object, body: object | string = '') =>
    redis.publish(channel, `${JSON.stringify({ version: 1, ...head })}\n${JSON.stringify(body)}`);

  const forgedCall = async () => {
    const [seconds] = (await redis.time()) as unknown as [string];
    const now = Number(seconds) * 1_000;
    const { accountId, deviceId } = machine;
    const requestId = generateId('req');
    const params = { command: FORGED_COMMAND, args: [], cwd: null };
    const head = {
      ...{ owner: channel.slice('relay:to:'.length), deviceId, epoch: 0 },
      ...{ acceptBy: now + 60_000, answerBy: now + 60_000, type: 'request', attempt: 1 },
      ...{ callId: requestId, origin: 'attacker', accountId, method: 'machine.invoke' },
      audit: { tokenId: 'tok_1', appId: null, requestBytes: 2, keyed: false, startedAt: now },
    };
    const request = { requestId, method: 'machine.invoke', deadline: now + 60_000, timeoutMs: 9_000, params };
    return [head, request] as const;
  };

  it('can’t run commands on a machine or slow callers', async () => {
    const calm = await attackTarget.bystander.measureBaseline();
    const attacked = await attackTarget.bystander.measureDuring(async () => {
      for (let n = 0; n < BURST; n++) await publish(...(await forgedCall()));
    });
    expect(machine.socket.requests.filter(({ params }) => params.command === FORGED_COMMAND)).toEqual([]);
    expect(attacked.failures).toBe(0);
    expect(computeSlowdown(calm, attacked)).toBeLessThan(10);
  });

  it('can’t cancel a call or disconnect a machine', async () => {
    const { socket, accountId, deviceId, id } = machine;
    // A repetition of the test finds those of the time before.
    const before = { requests: socket.requests.length, cancels: socket.cancels.length };
    socket.setHandler(() => NO_RESPONSE);
    const abort = new AbortController();
    const path = `/external/v1/machines/${id}/invoke`;
    const call = attackTarget.http
      .post(path, token, { command: 'sleep' }, { signal: abort.signal })
      .catch(() => undefined);
    await waitFor(() => expect(socket.requests).toHaveLength(before.requests + 1));
    const callId = socket.requests.at(-1).requestId as string;
    await publish({ type: 'cancel', callId, reason: 'caller_gone' });
    await publish({ type: 'superseded', accountId, deviceId, epoch: 999_999 });
    await publish({ type: 'answer', callId, attempt: 1, deviceMs: 1, kind: 'refused', reason: 'gone' });
    await sleep(300);
    expect(socket.socket.connected).toBe(true);
    expect(socket.cancels).toHaveLength(before.cancels);
    expect(socket.requests).toHaveLength(before.requests + 1);
    abort.abort();
    await call;
  });
});
