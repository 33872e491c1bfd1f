import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSession } from '../support/device/device-session';
import { encryptContentJwe } from '../support/device/jwe-encryption';
import { waitFor } from '../support/wait-for';
import { expectProblem } from '../support/problems';
import { computeSlowdown } from './support/bystander';
import { measurePeakResidentBytes, readResidentBytes } from './support/resident-memory';
import { AttackTarget } from './support/attack-target';

const MIB = 1_048_576;
const STALL_SECONDS = 8;
const READERS = 60;
const PACE_MS = 100;
const READ_RESPONSES = 5;
/** 64 MiB of unsent responses, and the memory to build eight pages concurrently. */
const MAX_GROWTH = 450 * MIB;

describe('unread responses', () => {
  let attackTarget: AttackTarget;
  let owner: ForeignAccountDevice;
  let messages: string;
  /** A page of the same list with one message, which reserves the same size. */
  let oneMessage: string;
  let artifact: string;

  beforeAll(async () => {
    attackTarget = await AttackTarget.start({ RESPONSE_STALL_SECONDS: String(STALL_SECONDS) });
    owner = await ForeignAccountDevice.signUp(attackTarget.http);
    const session = await DeviceSession.createSession(owner);
    for (const batch of [0, 1, 2]) {
      const texts = Array.from({ length: 20 }, (_, n) =>
        session.encryptMessage(`m-${batch}-${n}`, 'user', 'x'.repeat(260_000)),
      );
      expectStatus(await session.postMessages(texts), 201);
    }
    messages = `/v1/sessions/${session.id}/messages?limit=200`;
    oneMessage = messages.replace('200', '1');
    const { kid, sealed, bytes } = owner.createDataKey();
    const content = encryptContentJwe(bytes, kid, { a: owner.accountId, t: 'large', v: 1 }, 'x'.repeat(5.5 * MIB));
    const body = { tag: 'large', mediaType: 'text/plain', dataKey: { kid, sealed }, content };
    const { data } = expectStatus(await attackTarget.http.post('/v1/artifacts', owner.token, body), 201);
    artifact = `/v1/artifacts/${data.id}`;
  });
  afterAll(() => attackTarget?.stop());

  /** Sends a request and reads nothing of the response. */
  function ask(path: string): Socket {
    const socket = connect(attackTarget.service.port, '127.0.0.1');
    socket.pause();
    socket.on('error', () => undefined);
    const headers = ['Host: localhost', 'Connection: close', `Authorization: Bearer ${owner.token}`];
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    return socket;
  }

  /** Reads the rest of a response. Returns its status and whether it is complete. */
  async function rest(reader: Socket): Promise<{ status: string; isWhole: boolean }> {
    let text = '';
    reader.on('data', (chunk) => (text += String(chunk)));
    reader.resume();
    if (!reader.closed) await once(reader, 'close');
    return { status: text.slice(9, 12), isWhole: /\}(\r\n0\r\n\r\n)?$/.test(text) };
  }

  /** Requests content of the account until the response has this status, slowly because of the rate limit. */
  const until = (status: number) =>
    waitFor(async () => {
      await sleep(200);
      const httpResponse = await attackTarget.http.get(oneMessage, owner.token);
      expect(httpResponse.status).toBe(status);
      return httpResponse;
    }, 40_000);

  it.each([
    ['pages of messages', () => messages],
    ['artifacts', () => artifact],
    ['exports', () => '/v1/account/export'],
  ])('of %s cost little memory and don’t slow others', async (_, path) => {
    // Building a large response takes the service's thread, whether or not the caller reads it.
    const calm = await attackTarget.bystander.measureDuring(async () => {
      for (let n = 0; n < READ_RESPONSES; n++) await rest(ask(path()));
    });
    const before = readResidentBytes(attackTarget.pid);
    const readers: Socket[] = [];
    let peak = 0;
    const attacked = await attackTarget.bystander.measureDuring(async () => {
      peak = await measurePeakResidentBytes(attackTarget.pid, async () => {
        for (let n = 0; n < READERS; n++) {
          readers.push(ask(path()));
          await sleep(PACE_MS);
        }
        await sleep(2_000);
      });
    });
    expect(attacked.failures).toBe(0);
    expect(computeSlowdown(calm, attacked)).toBeLessThan(10);
    expect(peak - before).toBeLessThan(MAX_GROWTH);
    for (const reader of readers) reader.destroy();
    await until(200);
  });

  it('are closed without progress; until then, calls of their account are rejected', async () => {
    const readers = Array.from({ length: 40 }, () => ask(messages));
    const refused = await until(503);
    expectProblem(refused, 503, 'service_unavailable');
    expect(refused.headers.get('retry-after')).toBe('1');
    await until(200);
    // The last of the responses may have begun shortly before the first was closed.
    await sleep((STALL_SECONDS + 1) * 1_000);
    const answers = await Promise.all(readers.map(rest));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['200', '503']));
    expect(statuses.filter((status) => status === '200').length).toBeLessThanOrEqual(8);
    for (const { status, isWhole } of answers) expect(isWhole).toBe(status === '503');
  });

  it('are distinguished from slow readers, which get complete responses', async () => {
    const socket = ask(messages);
    const startedAt = performance.now();
    let received = 0;
    while (!socket.destroyed && received < 7 * MIB) {
      await sleep(100);
      received += (socket.read() as Buffer | null)?.length ?? 0;
    }
    socket.destroy();
    expect(received).toBeGreaterThanOrEqual(7 * MIB);
    expect(performance.now() - startedAt).toBeGreaterThan(STALL_SECONDS * 1_000);
  });
});
