import { createHash } from 'node:crypto';
import { queryDatabase } from '../../support/database';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { expectViolationPaths, expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const HOUR = 3_600_000;
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

describe('an Idempotency-Key', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let executions: number;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    connectedMachine = await fixture.createMachine();
  });
  beforeEach(() => {
    executions = 0;
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { execution: ++executions } }));
  });
  afterAll(() => fixture?.stop());

  it('replays the first response with a new request id only in the header', async () => {
    const first = await fixture.invokeMachine(connectedMachine.id, { args: ['a'] }, withKey('replayed'));
    const second = await fixture.invokeMachine(connectedMachine.id, { args: ['a'] }, withKey('replayed'));
    expect(first.status).toBe(200);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(second.headers.get('cache-control')).toBe('no-store');
    expect(executions).toBe(1);
  });

  it('replays while the device is offline', async () => {
    const other = await fixture.createMachine();
    const first = await fixture.invokeMachine(other.id, {}, withKey('offline'));
    other.socket.close();
    await waitFor(async () => expect((await fixture.invokeMachine(other.id)).status).toBe(503));
    expect((await fixture.invokeMachine(other.id, {}, withKey('offline'))).body).toEqual(first.body);
  });

  it('replays a call to a session that has ended in the meantime', async () => {
    const session = await fixture.ada.createSession(connectedMachine.device);
    const first = await fixture.sendMessage(session.id, 'hi', withKey('session'));
    expect(first.status).toBe(200);
    const path = `/v1/sessions/${session.id}`;
    const options = { token: fixture.ada.token, json: { state: 'ended' } };
    expectStatus(await fixture.service.http.request('PATCH', path, options), 200);
    expect((await fixture.sendMessage(session.id, 'hi', withKey('session'))).body).toEqual(first.body);
    expectProblem(await fixture.sendMessage(session.id, 'hi'), 409, 'session_not_active');
  });

  it('runs one command, because only one spelling of the path is served', async () => {
    const path = `/external/v1/machines/${connectedMachine.id}/invoke`;
    const last = connectedMachine.id.at(-1)!;
    const encoded = `%${last.charCodeAt(0).toString(16)}`;
    const spellings = [
      `${path}/`,
      path.toUpperCase(),
      path.replace('/invoke', '/Invoke'),
      path.replace('machines', 'm%61chines'),
      path.replace(`${last}/invoke`, `${encoded}/invoke`),
      path.replace('/machines', '//machines'),
    ];
    const send = (to: string) =>
      fixture.service.http.post(to, fixture.token, { command: 'true' }, withKey('spellings'));
    const first = await send(path);
    expect(first.status).toBe(200);
    for (const spelling of spellings) expectProblem(await send(spelling), 404, 'not_found');
    expect((await send(`${path}?`)).body).toEqual(first.body);
    expect(executions).toBe(1);
  });

  it('finds keys recorded by the previous release', async () => {
    const path = `/external/v1/machines/${connectedMachine.id}/invoke`;
    const before = await queryDatabase(fixture.service, 'SELECT id FROM idempotency_keys');
    await fixture.invokeMachine(connectedMachine.id, {}, withKey('recorded'));
    const after = await queryDatabase(fixture.service, 'SELECT id FROM idempotency_keys');
    expect(after).toHaveLength(before.length + 1);
    const keyHash = createHash('sha256').update('recorded').digest('hex');
    const id = createHash('sha256')
      .update([`pat:${fixture.tokenId}`, 'POST', path, keyHash].join('\n'))
      .digest();
    expect(after.map((row: any) => Buffer.from(row.id).toString('hex'))).toContain(id.toString('hex'));
  });

  it('is 422 with another request, which doesn’t run', async () => {
    await fixture.invokeMachine(connectedMachine.id, { args: ['a'] }, withKey('reused'));
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, { args: ['b'] }, withKey('reused')),
      422,
      'idempotency_key_reused',
    );
    expect(executions).toBe(1);
  });

  it('treats another order of members as the same request', async () => {
    const http = fixture.service.http;
    const send = (raw: string) =>
      http.request('POST', `/external/v1/machines/${connectedMachine.id}/invoke`, {
        token: fixture.token,
        raw,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'order' },
      });
    const first = await send('{"command":"x","args":["1","2"],"timeoutMs":900}');
    const second = await send('{ "timeoutMs": 900, "args": ["1", "2"], "cwd": null, "command": "x" }');
    expect(second.body).toEqual(first.body);
    expectProblem(await send('{"command":"x","args":["2","1"],"timeoutMs":900}'), 422, 'idempotency_key_reused');
    expect(executions).toBe(1);
  });

  it('is never replayed for a body that is not UTF-8 or has a member twice', async () => {
    const send = (raw: string | Buffer) =>
      fixture.service.http.request('POST', `/external/v1/machines/${connectedMachine.id}/invoke`, {
        token: fixture.token,
        raw,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'altered' },
      });
    expect((await send('{"command":"x","args":["\ufffd"]}')).status).toBe(200);
    for (const raw of [
      Buffer.from('{"command":"x","args":["\xe9"]}', 'latin1'),
      '{"command":"x","args":["\\ud800"]}',
      '{"command":"y","command":"x","args":["\ufffd"]}',
      '{"args":null,"command":"x","args":["\ufffd"]}',
    ]) {
      const httpResponse = await send(raw);
      expectProblem(httpResponse, 400, 'invalid_request');
      expect(httpResponse.headers.has('idempotency-replayed')).toBe(false);
    }
    expect(executions).toBe(1);
  });

  it('is 409 while the first call runs, and 422 with another request then', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { execution: ++executions } })));
    const seen = connectedMachine.socket.requests.length;
    const first = fixture.invokeMachine(connectedMachine.id, {}, withKey('running'));
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(seen + 1));
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, {}, withKey('running')),
      409,
      'idempotency_in_progress',
    );
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, { cwd: '/' }, withKey('running')),
      422,
      'idempotency_key_reused',
    );
    release();
    expect((await first).status).toBe(200);
    expect((await fixture.invokeMachine(connectedMachine.id, {}, withKey('running'))).status).toBe(200);
    expect(executions).toBe(1);
  });

  it('executes once what is sent ten times at once', async () => {
    const calls = Array.from({ length: 10 }, () => fixture.invokeMachine(connectedMachine.id, {}, withKey('parallel')));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(executions).toBe(1);
    expect(statuses).toContain(200);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['beyond ASCII', 'clé'],
  ])('%s is 400', async (_, key) => {
    expect(expectViolationPaths(await fixture.invokeMachine(connectedMachine.id, {}, withKey(key)))).toEqual([
      '/Idempotency-Key',
    ]);
    expect(executions).toBe(0);
  });

  it('may have 255 visible characters of any kind', async () => {
    const key = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'.padEnd(255, 'k');
    expect((await fixture.invokeMachine(connectedMachine.id, {}, withKey(key))).status).toBe(200);
    expect(
      (await fixture.invokeMachine(connectedMachine.id, {}, withKey(key))).headers.get('idempotency-replayed'),
    ).toBe('true');
  });

  it('is another one under another token, and on another path', async () => {
    const { token } = await fixture.ada.createToken(['machines:invoke']);
    const other = await fixture.createMachine();
    await fixture.invokeMachine(connectedMachine.id, {}, withKey('scope'));
    const elsewhere = await fixture.invokeMachine(other.id, { args: ['else'] }, withKey('scope'));
    expect(elsewhere.status).toBe(200);
    const path = `/external/v1/machines/${connectedMachine.id}/invoke`;
    const foreign = await fixture.service.http.post(path, token, { command: 'x' }, withKey('scope'));
    expect(foreign.body.result).toEqual({ execution: 2 });
    expect(foreign.headers.has('idempotency-replayed')).toBe(false);
    other.socket.close();
  });

  it('is kept for 24 hours and free after them', async () => {
    await fixture.invokeMachine(connectedMachine.id, {}, withKey('day'));
    fixture.service.advanceClock(24 * HOUR - 60_000);
    expect((await fixture.invokeMachine(connectedMachine.id, {}, withKey('day'))).body.result).toEqual({
      execution: 1,
    });
    fixture.service.advanceClock(60_000);
    expect((await fixture.invokeMachine(connectedMachine.id, { args: ['b'] }, withKey('day'))).body.result).toEqual({
      execution: 2,
    });
  });

  it('is 409 while the first call after 24 hours runs, not the answer of the day before', async () => {
    await fixture.invokeMachine(connectedMachine.id, {}, withKey('yesterday'));
    fixture.service.advanceClock(24 * HOUR);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { execution: ++executions } })));
    const seen = connectedMachine.socket.requests.length;
    const call = fixture.invokeMachine(connectedMachine.id, {}, withKey('yesterday'));
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(seen + 1));
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, {}, withKey('yesterday')),
      409,
      'idempotency_in_progress',
    );
    release();
    expect((await call).body.result).toEqual({ execution: 2 });
  });

  it('runs on when its caller hangs up, and keeps the answer', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { execution: ++executions } })));
    const seen = connectedMachine.socket.requests.length;
    const hangUp = new AbortController();
    const options = { ...withKey('hung-up'), signal: hangUp.signal };
    const call = fixture.invokeMachine(connectedMachine.id, {}, options).catch(() => NO_RESPONSE);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(seen + 1));
    hangUp.abort();
    expect(await call).toBe(NO_RESPONSE);
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, {}, withKey('hung-up')),
      409,
      'idempotency_in_progress',
    );
    release();
    const httpResponse = await waitFor(async () => {
      const again = await fixture.invokeMachine(connectedMachine.id, {}, withKey('hung-up'));
      expect(again.status).toBe(200);
      return again;
    });
    expect(httpResponse.body.result).toEqual({ execution: 1 });
    expect(connectedMachine.socket.cancels).toEqual([]);
  });
});
