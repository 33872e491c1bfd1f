import { findTablesContaining, queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import type { RequestOptions } from '../../support/http-client';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const CAPABILITIES = ['session.message', 'session.start', 'session.resume', 'agent.sessions'];
const SESSION_ID = 'ses_00000000000000000000000000';
const STARTED = { sessionId: SESSION_ID, turn: null };
const LISTED = {
  agent: 'opencode',
  agentSessionId: 'abc',
  title: 'Fix the test',
  cwd: '/srv/app',
  updatedAt: '2026-11-28T09:12:44.000Z',
  sessionId: null,
  canFork: true,
};
const LIST = { sessions: [LISTED], nextCursor: 'next', problems: [] };

let fixture: RelayFixture;
let machine: ConnectedMachine;

beforeAll(async () => {
  fixture = await RelayFixture.start();
  machine = await fixture.createMachine(CAPABILITIES);
});
beforeEach(() => {
  machine.socket.requests.length = 0;
  machine.socket.setHandler(({ method }) => ({ ok: true, result: method === 'session.start' ? STARTED : LIST }));
});
afterAll(() => fixture?.stop());

describe('sessions of a machine’s agents', () => {
  const list = (query = '', machineId = machine.id, token = fixture.token) =>
    fixture.http.get(`/external/v1/machines/${machineId}/agent-sessions${query}`, token);

  it('come from the device of the machine, and are not cached', async () => {
    const response = await list();
    expect(response).toMatchObject({ status: 200, body: { requestId: expect.any(String), result: LIST } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toContain('relay');
    expect(machine.socket.requests).toMatchObject([
      {
        method: 'agent.sessions',
        machineId: machine.id,
        caller: 'pat',
        params: { agent: null, cwd: null, limit: 50, cursor: null },
      },
    ]);
  });

  it('are those that the caller asks for', async () => {
    expectStatus(await list('?agent=opencode&cwd=/srv&limit=7&cursor=abc'), 200);
    expect(machine.socket.requests[0].params).toEqual({ agent: 'opencode', cwd: '/srv', limit: 7, cursor: 'abc' });
  });

  it('are at most 100, also if the caller asks for as many as other lists have', async () => {
    expectStatus(await list('?limit=200'), 200);
    expect(machine.socket.requests[0].params.limit).toBe(100);
  });

  it('are in the audit by their method, without a title', async () => {
    const { requestId } = expectStatus(await list(), 200);
    const sql = 'SELECT method FROM relay_calls WHERE request_id = $1';
    await waitFor(async () =>
      expect(await queryDatabase(fixture.service, sql, [requestId])).toEqual([{ method: 'agent.sessions' }]),
    );
    expect(await findTablesContaining(fixture.service, LISTED.title)).toEqual([]);
  });

  it.each([
    ['?agent=A', '/agent'],
    ['?cwd=%00', '/cwd'],
    ['?limit=0', '/limit'],
    ['?cursor=', '/cursor'],
    [`?cursor=${'c'.repeat(4_097)}`, '/cursor'],
    ['?order=asc', '/order'],
  ])('are not listed with %s', async (query, path) => {
    expect(expectViolationPaths(await list(query))).toEqual([path]);
    expect(machine.socket.requests).toEqual([]);
  });

  it.each([
    {},
    { ...LIST, sessions: {} },
    { ...LIST, sessions: [null] },
    { ...LIST, sessions: [{ ...LISTED, agentSessionId: 'a\nb' }] },
    { ...LIST, sessions: [{ ...LISTED, title: 7 }] },
    { ...LIST, sessions: [{ ...LISTED, updatedAt: 'yesterday' }] },
    { ...LIST, sessions: [{ ...LISTED, sessionId: '../machines' }] },
    { ...LIST, sessions: [{ ...LISTED, canFork: null }] },
    { ...LIST, nextCursor: '' },
    { ...LIST, problems: [{ agent: 'a', code: 'b' }] },
  ])('are not believed as %j', async (result) => {
    machine.socket.setHandler(() => ({ ok: true, result }));
    expect(expectProblem(await list(), 502, 'device_error').deviceError.code).toBe('invalid_answer');
  });

  it('need a token that may run commands', async () => {
    const { token } = await fixture.ada.createToken(['machines:read', 'sessions:content']);
    expectProblem(await list('', machine.id, token), 403, 'insufficient_scope');
    expect(machine.socket.requests).toEqual([]);
  });

  it('are for account devices too', async () => {
    const path = `/v1/control/machines/${machine.id}/agent-sessions`;
    expect(expectStatus(await fixture.http.get(path, fixture.ada.token), 200).result).toEqual(LIST);
  });

  it('are not listed by a machine that is unknown, offline or of an earlier release', async () => {
    expectProblem(await list('', 'mch_00000000000000000000000000'), 404, 'not_found');
    expectProblem(await list('', (await fixture.createOfflineMachine()).id), 503, 'no_online_device');
    const older = await fixture.createMachine(['session.start']);
    expectProblem(await list('', older.id), 503, 'no_online_device');
    expect(older.socket.requests).toEqual([]);
  });
});

describe('a start that continues a session of an agent', () => {
  const start = (body: object, options: RequestOptions = {}, machineId = machine.id) =>
    fixture.http.post(`/external/v1/machines/${machineId}/sessions`, fixture.token, body, options);

  it.each([
    [{ resume: 'abc' }, { resume: 'abc', fork: false }],
    [
      { resume: 'abc', fork: true },
      { resume: 'abc', fork: true },
    ],
    [{ resume: null, fork: null }, {}],
    [{ fork: false }, {}],
  ])('with %j gives the device %j', async (body, params) => {
    expectStatus(await start(body), 200);
    const { resume, fork } = machine.socket.requests[0].params;
    expect({ resume, fork }).toEqual({ resume: undefined, fork: undefined, ...params });
  });

  it.each([
    [{ resume: '' }, ['/resume']],
    [{ resume: 'with blank' }, ['/resume']],
    [{ resume: 'x'.repeat(257) }, ['/resume']],
    [{ resume: 7 }, ['/resume']],
    [{ resume: 'abc', fork: 'yes' }, ['/fork']],
    [{ fork: true }, ['/fork']],
  ])('is refused with %j', async (body, paths) => {
    expect(expectViolationPaths(await start(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
  });

  it('names the session that is there already', async () => {
    const error = { code: 'session_exists', message: 'A session continues it.', sessionId: SESSION_ID };
    machine.socket.setHandler(() => ({ ok: false, error }));
    expect(expectProblem(await start({ resume: 'abc' }), 502, 'device_error').deviceError).toEqual(error);
    machine.socket.setHandler(() => ({ ok: false, error: { ...error, sessionId: '<script>' } }));
    const { deviceError } = expectProblem(await start({ resume: 'abc' }), 502, 'device_error');
    expect(deviceError).toEqual({ code: error.code, message: error.message });
  });

  it('is sent once for each key', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'continue' } };
    const first = await start({ resume: 'abc' }, keyed);
    expect((await start({ resume: 'abc' }, keyed)).body).toEqual(first.body);
    expect(machine.socket.requests).toHaveLength(1);
    expectProblem(await start({ resume: 'other' }, keyed), 422, 'idempotency_key_reused');
  });

  it('is refused before anything is sent if the device can not continue', async () => {
    const older = await fixture.createRecordedMachine(['session.start', 'session.grant']);
    const refused = await start({ resume: 'abc' }, {}, older.id);
    expect(expectViolationPaths(refused)).toEqual(['/resume']);
    expect(refused.body.detail).toContain('Update the device');
    expect(older.socket.requests).toEqual([]);
    expectProblem(
      await start({ resume: 'abc' }, {}, (await fixture.createOfflineMachine()).id),
      503,
      'no_online_device',
    );
  });
});
