import { sleep } from './http/abort.ts';
import { ExternalApiClient, type ClientOptions, type RequestOptions } from './index.ts';

/** Answers every call: the record has the members of all kinds of records, and each list ends with it. */
const RECORD = {
  id: 'turn_1',
  sessionId: 's',
  state: 'completed',
  version: 1,
  turn: { id: 'turn_1', state: 'running' },
  encoding: 'plaintext',
  contentEncoding: 'utf8',
  content: '{}',
  data: '',
  nextCursor: null,
};
const KEY = { kty: 'OKP', crv: 'X25519', x: '', d: '' };
const HASH = 'hash';
const TEXT = { attachments: [{ name: 'a', data: '' }] };

describe('the client', () => {
  let requests: string[];
  let headers: Record<string, string>;
  /** Records of the next answers. Then every answer has RECORD. */
  let records: object[];
  /** Answers the next calls, undefined if nobody does. */
  let failures: (Response | undefined)[];

  const createClient = (options: Partial<ClientOptions> = {}) =>
    new ExternalApiClient({ baseUrl: 'http://service.test', token: 'x', fetch: answer, ...options });
  beforeEach(() => {
    requests = [];
    records = [];
    failures = [];
  });

  const answer: typeof fetch = (url, init = {}) => {
    const { pathname, search } = new URL(url as string);
    headers = init.headers as Record<string, string>;
    const { 'idempotency-key': key = '', 'last-event-id': cursor = '' } = headers;
    const path = pathname.slice('/external/v1'.length) + decodeURIComponent(search);
    const parts = [init.method, path, init.body as string, /^[\da-f]{32}$/.test(key) ? '(random)' : key, cursor];
    requests.push(parts.filter(Boolean).join(' '));
    if (failures.length > 0) {
      const failure = failures.shift();
      if (failure) return Promise.resolve(failure);
      return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    // A stream would have no end, so it is refused.
    const [status, type] = pathname.endsWith('/events') ? [404, 'problem+json'] : [200, 'json'];
    const record = { ...RECORD, ...records.shift() };
    const body = JSON.stringify({ data: record, result: record, requestId: 'req_1', code: 'not_found' });
    const sent = { 'content-type': `application/${type}`, 'x-request-id': 'req_1' };
    return Promise.resolve(new Response(body, { headers: sent, status: Number(status) }));
  };

  type Call = (client: ExternalApiClient, options: { signal: AbortSignal }) => Promise<unknown>;
  const commands = (client: ExternalApiClient) => client.machines.invocations('m/1');
  const first = (iterable: AsyncIterable<unknown>) => iterable[Symbol.asyncIterator]().next();
  const CALLS: [expected: string, call: Call][] = [
    ['GET /me', (c, o) => c.me(o)],
    ['GET /usage?groupBy=token', (c, o) => c.usage.get({ groupBy: 'token' }, o).page()],
    ['GET /sessions/s/messages/m/content', (c, o) => c.content('s', 'm', o)],
    ['GET /sessions/s/messages/m/content?encoding=sealed', (c, o) => c.content('s', 'm', { ...o, key: KEY })],
    [
      'PUT /x?a=1 {"b":2} k',
      (c, o) => c.request('PUT', '/x', { ...o, query: { a: 1 }, body: { b: 2 }, idempotencyKey: 'k' }),
    ],
    ['POST /x (random)', (c, o) => c.request('POST', '/x', o)],
    ['POST /x', (c, o) => c.request('POST', '/x', { ...o, idempotencyKey: null })],
    [
      'GET /events?types=turn.ended,turn.started c7',
      (c, o) => first(c.events({ ...o, types: ['turn.ended', 'turn.started'], after: 'c7' })),
    ],
    [
      'GET /sessions/s/events?content=plaintext&deltas=tool,plan',
      (c, o) => first(c.events({ ...o, sessionId: 's', content: 'plaintext', deltas: ['tool', 'plan'] })),
    ],
    ['GET /sessions?state=active&cursor=c', (c, o) => c.sessions.list({ state: 'active' }, o).page('c')],
    ['GET /sessions/s%2F1', (c, o) => c.sessions.get('s/1', o)],
    ['GET /sessions/s/content', (c, o) => c.sessions.content('s', o)],
    ['GET /sessions/s/content?encoding=sealed', (c, o) => c.sessions.content('s', { ...o, key: KEY })],
    ['GET /sessions/s/messages?role=user', (c, o) => c.sessions.messages('s', { role: 'user' }, o).page()],
    ['GET /sessions/s/turns?state=queued', (c, o) => c.sessions.turns('s', { state: 'queued' }, o).page()],
    ['GET /sessions/s/turns/t', (c, o) => c.sessions.getTurn('s', 't', o)],
    ['GET /sessions/s/turns/t', (c, o) => c.sessions.waitForTurn('s', 't', o)],
    ['POST /sessions/s/turns/t/cancel k', (c, o) => c.sessions.cancelTurn('s', 't', { ...o, idempotencyKey: 'k' })],
    [
      'POST /sessions/s/messages {"content":"hi","attachments":[{"name":"a","data":""}],"ifBusy":"steer","waitMs":0} k',
      (c, o) => c.sessions.send('s', 'hi', { ...o, ...TEXT, ifBusy: 'steer', idempotencyKey: 'k' }),
    ],
    [
      'POST /sessions/s/messages {"content":"hi","waitMs":7} k',
      (c, o) => c.sessions.send('s', 'hi', { ...o, waitMs: 7, idempotencyKey: 'k' }),
    ],
    ['GET /sessions/s/turns/turn_1', (c, o) => c.sessions.send('s', 'hi', { ...o, until: 'turn.ended' })],
    [
      'POST /sessions/s/messages {"content":"hi","attachments":[{"name":"a","data":""}],"delivery":{"mode":"queue","notBefore":1,"expiresAt":2}} k',
      (c, o) => c.sessions.queue('s', 'hi', { ...o, ...TEXT, notBefore: 1, expiresAt: 2, idempotencyKey: 'k' }),
    ],
    ['GET /sessions/s/queued-messages?limit=7', (c, o) => c.sessions.queuedMessages('s', { limit: 7 }, o).page()],
    ['DELETE /sessions/s/queued-messages/q', (c, o) => c.sessions.cancelQueuedMessage('s', 'q', o)],
    ['POST /sessions/s/end k', (c, o) => c.sessions.end('s', { ...o, idempotencyKey: 'k' })],
    ['GET /sessions/s/options', (c, o) => c.sessions.options('s', o)],
    ['PATCH /sessions/s/options {"model":"opus"}', (c, o) => c.sessions.changeOptions('s', { model: 'opus' }, o)],
    [
      'GET /sessions/s/permission-requests?state=pending',
      (c, o) => c.sessions.permissionRequests('s', { state: 'pending' }, o).page(),
    ],
    ['GET /sessions/s/permission-requests/p', (c, o) => c.sessions.getPermissionRequest('s', 'p', o)],
    [
      'GET /sessions/s/permission-requests/p/content?encoding=sealed',
      (c, o) => c.sessions.permissionContent('s', 'p', { ...o, key: KEY }),
    ],
    [
      'POST /sessions/s/permission-requests/p/decision {"decision":"allow","contentHash":"hash"} k',
      (c, o) => c.sessions.decide('s', 'p', { decision: 'allow', contentHash: HASH }, { ...o, idempotencyKey: 'k' }),
    ],
    [
      'POST /sessions/s/permission-requests/p/decision {"answers":{"a":"b"},"contentHash":"hash","message":"x"} k',
      (c, o) => c.sessions.answer('s', 'p', { a: 'b' }, HASH, { ...o, message: 'x', idempotencyKey: 'k' }),
    ],
    ['GET /machines?state=online', (c, o) => c.machines.list({ state: 'online' }, o).page()],
    ['GET /machines/m', (c, o) => c.machines.get('m', o)],
    [
      'POST /machines/m/invoke {"command":"ls"} k',
      (c, o) => c.machines.invoke('m', { command: 'ls' }, { ...o, idempotencyKey: 'k' }),
    ],
    [
      'POST /machines/m/sessions {"agent":"a"} k',
      (c, o) => c.machines.start('m', { agent: 'a' }, { ...o, idempotencyKey: 'k' }),
    ],
    ['GET /machines/m/agent-sessions?agent=a', (c, o) => c.machines.listAgentSessions('m', { agent: 'a' }, o)],
    ['GET /machines/m%2F1/invocations?limit=7', (c, o) => commands(c).list({ limit: 7 }, o).page()],
    [
      'POST /machines/m%2F1/invocations {"command":"ls"} k',
      (c, o) => commands(c).start({ command: 'ls' }, { ...o, idempotencyKey: 'k' }),
    ],
    ['GET /machines/m%2F1/invocations/i', (c, o) => commands(c).get('i', o)],
    ['GET /machines/m%2F1/invocations/i', (c, o) => commands(c).wait('i', o)],
    [
      'GET /machines/m%2F1/invocations/i/output?stream=stderr&offset=5&limit=7',
      (c, o) => commands(c).output('i', { ...o, stream: 'stderr', offset: 5, limit: 7 }),
    ],
    ['GET /machines/m%2F1/invocations/i/events', (c, o) => first(commands(c).follow('i', o))],
    ['POST /machines/m%2F1/invocations/i/cancel k', (c, o) => commands(c).cancel('i', { ...o, idempotencyKey: 'k' })],
    ['GET /artifacts?sessionId=s', (c, o) => c.artifacts.list({ sessionId: 's' }, o).page()],
    ['GET /artifacts/a', (c, o) => c.artifacts.get('a', o)],
    ['GET /artifacts/a/content?encoding=sealed', (c, o) => c.artifacts.content('a', { ...o, key: KEY })],
    ['GET /webhooks?limit=7', (c, o) => c.webhooks.list({ limit: 7 }, o).page()],
    ['GET /webhooks/w', (c, o) => c.webhooks.get('w', o)],
    [
      'POST /webhooks {"url":"u","events":["*"]} k',
      (c, o) => c.webhooks.create({ url: 'u', events: ['*'] }, { ...o, idempotencyKey: 'k' }),
    ],
    ['DELETE /webhooks/w', (c, o) => c.webhooks.delete('w', o)],
  ];

  it.each(CALLS)('sends %s, and stops at an AbortSignal', async (expected, call) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    // Streams are refused.
    await call(createClient(), { signal }).catch(() => undefined);
    expect(requests).toContain(expected);
    requests = [];
    stopping.abort(new Error('stopped'));
    await expect(call(createClient(), { signal })).rejects.toThrow('stopped');
    expect(requests).toEqual([]);
  });

  it('stops a stream that waits for its next connection when the client is cancelled', async () => {
    const answerAs = (type: string, body: string, init: { status: number; headers?: object }) =>
      new Response(body, { ...init, headers: { 'content-type': type, 'x-request-id': 'req_1', ...init.headers } });
    const refusal = '{"code":"service_unavailable","detail":"No.","requestId":"req_1"}';
    failures = [
      answerAs('text/event-stream', 'retry: 1\nevent: stream.opened\ndata: {}\n\n', { status: 200 }),
      answerAs('application/problem+json', refusal, { status: 503, headers: { 'retry-after': '3600' } }),
    ];
    const stopping = new AbortController();
    const onDisconnect = (error: Error | undefined) => {
      if (error) stopping.abort(new Error('stopped'));
    };
    const events = createClient({ signal: stopping.signal }).events({ onDisconnect });
    expect(await events.next()).toMatchObject({ value: { type: 'stream.opened' } });
    await expect(events.next()).rejects.toThrow('stopped');
  });

  it.each(['', '/', '/external/v1', '/external/v1/'])('calls a host whose address ends with %j', async (end) => {
    await createClient({ baseUrl: `http://service.test${end}` }).me();
    expect(requests).toEqual(['GET /me']);
  });

  it('sends the token, its name and that of the program, and the headers of a call', async () => {
    await createClient({ userAgent: 'my-app/1' }).request('POST', '/x', {
      body: {},
      headers: { accept: 'text/plain' },
    });
    expect(headers).toEqual({
      accept: 'text/plain',
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'idempotency-key': expect.any(String) as string,
      'user-agent': 'my-app/1 external-api-client',
    });
  });

  it('returns 304 for a call with a condition, and for no other', async () => {
    const unchanged = () => new Response(null, { status: 304, headers: { 'x-request-id': 'req_1' } });
    failures = [unchanged(), unchanged()];
    const read = (options: RequestOptions = {}) => createClient({ maxRetries: 0 }).request('GET', '/me', options);
    const found = await read({ headers: { 'If-None-Match': 'W/"a"' } });
    expect(found).toMatchObject({ status: 304, body: undefined, requestId: 'req_1' });
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  it.each<[string, RequestOptions, Response | undefined]>([
    ['maxRetries', { maxRetries: 0 }, new Response('', { status: 502 })],
    ['retryTimeoutMs', { retryTimeoutMs: 500 }, new Response('', { status: 502, headers: { 'retry-after': '1' } })],
    ['attemptTimeoutMs', { attemptTimeoutMs: 1, maxRetries: 0 }, undefined],
  ])('gives up by %s of a call', async (_, options, failure) => {
    failures = [failure];
    await expect(createClient().request('GET', '/x', options)).rejects.toMatchObject({ attempts: 1 });
  });

  it('lets a call that asks the service to wait take its time, however little other calls may take', async () => {
    const slow: typeof fetch = async (url, init) => {
      await sleep(50, init?.signal ?? undefined);
      return answer(url, init);
    };
    const client = createClient({ attemptTimeoutMs: 10, maxRetries: 0, fetch: slow });
    await expect(client.me()).rejects.toMatchObject({ code: 'connection_failed' });
    for (const options of [{ query: { waitMs: 1 } }, { body: { waitMs: 1 } }])
      await expect(client.request('POST', '/x', options)).resolves.toMatchObject({ status: 200 });
  });

  it.each<
    [string, (client: ExternalApiClient, onEvent: (record: { version: number }) => void) => Promise<object>, number]
  >([
    ['for the end of a turn', (c, onEvent) => c.sessions.waitForTurn('s', 't', { onEvent }), 4],
    ['for the end of a turn that is read', (c, onEvent) => c.sessions.getTurn('s', 't', { wait: true, onEvent }), 4],
    [
      'for a question of the agent',
      (c, onEvent) => c.sessions.waitForTurn('s', 't', { until: 'turn.requires_action', onEvent }),
      2,
    ],
    [
      'for the next question of the agent',
      (c, onEvent) => c.sessions.waitForTurn('s', 't', { until: 'turn.requires_action', afterVersion: 2, onEvent }),
      3,
    ],
    ['for the end of a command', (c, onChange) => commands(c).wait('i', { onChange }), 4],
  ])('waits %s, and reports each version', async (_, wait, version) => {
    const states = ['running', 'requires_action', 'requires_action', 'completed'];
    records = states.map((state, index) => ({ state, version: index + 1 }));
    const versions: number[] = [];
    expect(await wait(createClient(), (record) => versions.push(record.version))).toMatchObject({ version });
    expect(versions).toEqual([1, 2, 3, 4].slice(0, version));
    expect(requests[1]).toMatch(/\?waitMs=25000&afterVersion=1$/);
  });

  it('waits for a question that follows a message, and stops at an AbortSignal', async () => {
    const onEvent = jest.fn();
    records = [{}, { state: 'running' }, { state: 'requires_action', version: 2 }];
    const options = { until: 'turn.requires_action', idempotencyKey: 'k', onEvent } as const;
    const sent = await createClient().sessions.send('s', 'hi', options);
    expect(sent).toMatchObject({ state: 'requires_action', idempotencyKey: 'k' });
    expect(onEvent.mock.calls).toMatchObject([[{ version: 1 }], [{ version: 2 }]]);
    const stopping = new AbortController();
    records = [{}, { state: 'running' }];
    onEvent.mockImplementation(() => stopping.abort(new Error('stopped')));
    const stopped = createClient().sessions.send('s', 'hi', { ...options, signal: stopping.signal });
    await expect(stopped).rejects.toThrow('stopped');
  });
});
