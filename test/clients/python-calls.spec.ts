import { FaultProxy, type Fault } from '../support/clients/fault-proxy';
import { describeWith } from '../support/dependencies';
import { runPython } from './support/python';

const json = (body: object, status = 200, more: Record<string, string> = {}): Fault => ({
  status,
  headers: { 'content-type': `application/${status < 300 ? '' : 'problem+'}json`, 'x-request-id': 'req_0', ...more },
  body: { requestId: 'req_0', ...body },
});
/** Has the members of all records. */
const RECORD = {
  id: 'id_1',
  sessionId: 's',
  state: 'completed',
  version: 1,
  contentEncoding: 'utf8',
  content: '{}',
  contentHash: 'hash',
  sessions: [],
  nextCursor: null,
  offset: 0,
  data: '',
  nextOffset: 0,
  totalBytes: 0,
};
const ONE = json({ data: RECORD, result: RECORD, signingSecret: 'whsec_1' });
const MANY = json({ data: [RECORD], result: RECORD, nextCursor: null });
const stream = (...events: string[]): Fault => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_0' },
  body: events.map((event) => `${event}\ndata: {}\n\n`).join(''),
});
const STREAM = stream('event: stream.opened');

type Row = [call: string, ...requests: string[]];
const READS: Row[] = [
  ['me()', 'GET /me'],
  ['session("s/1")', 'GET /sessions/s%2F1'],
  ['session_content("s")', 'GET /sessions/s/content?encoding=plaintext'],
  ['content("s", "m")', 'GET /sessions/s/messages/m/content?encoding=plaintext'],
  ['artifact_content("a")', 'GET /artifacts/a/content?encoding=plaintext'],
  ['options("s")', 'GET /sessions/s/options'],
  ['permission_content("s", "p")', 'GET /sessions/s/permission-requests/p/content?encoding=plaintext'],
  ['wait_for_turn("s", "t")', 'GET /sessions/s/turns/t'],
  ['wait_for_turn("s", "t", timeout=0, after_version=7)', 'GET /sessions/s/turns/t?waitMs=0&afterVersion=7'],
  ['wait_for_invocation("m", "i")', 'GET /machines/m/invocations/i'],
  ['output("m", "i", "stderr", 5)', 'GET /machines/m/invocations/i/output?stream=stderr&offset=5&limit=262144'],
  ['request("GET", "/x", query={"a": 1, "b": None})', 'GET /x?a=1'],
];
const LISTS: Row[] = [
  ['sessions(state="active")', 'GET /sessions?limit=200&state=active'],
  ['sessions(state=None, machineId="m")', 'GET /sessions?limit=200&machineId=m'],
  ['turns("s", state="queued")', 'GET /sessions/s/turns?limit=200&state=queued'],
  ['messages("s", limit=7)', 'GET /sessions/s/messages?limit=7'],
  ['machines(state="online")', 'GET /machines?limit=200&state=online'],
  ['artifacts(sessionId="s")', 'GET /artifacts?limit=200&sessionId=s'],
  ['usage(groupBy="token")', 'GET /usage?limit=200&groupBy=token'],
  ['usage(from_=1788255000000)', 'GET /usage?limit=200&from=1788255000000'],
  ['permission_requests("s", state="pending")', 'GET /sessions/s/permission-requests?limit=200&state=pending'],
  ['webhooks(limit=7)', 'GET /webhooks?limit=7'],
  ['agent_sessions("m", agent="a", cwd="/b")', 'GET /machines/m/agent-sessions?agent=a&cwd=/b'],
  ['pages("/x", a=1)', 'GET /x?limit=200&a=1'],
];
const DECIDE = 'POST /sessions/s/permission-requests/p/decision';
const WRITES: Row[] = [
  ['start("m")', 'POST /machines/m/sessions {"waitMs":25000} (random)'],
  [
    'start("m", "hi", agent="a", cwd="/b", mode="c", options={"d": "e"}, grant=True, timeout=2, key="k")',
    'POST /machines/m/sessions ' +
      '{"agent":"a","cwd":"/b","mode":"c","options":{"d":"e"},"grant":true,"content":"hi","waitMs":2000} k',
  ],
  [
    'start("m", "hi", resume="r", fork=True, files=[("a", b"7")])',
    'POST /machines/m/sessions ' +
      '{"resume":"r","fork":true,"content":"hi","attachments":[{"name":"a","data":"Nw=="}],"waitMs":25000} (random)',
  ],
  [
    'send("s", "hi", files=[("a", b"7")], if_busy="steer", timeout=2, key="k")',
    'POST /sessions/s/messages ' +
      '{"content":"hi","attachments":[{"name":"a","data":"Nw=="}],"ifBusy":"steer","waitMs":2000} k',
  ],
  ['cancel_turn("s", "t")', 'POST /sessions/s/turns/t/cancel (random)'],
  ['change_options("s", {"model": "opus"})', 'PATCH /sessions/s/options {"model":"opus"}'],
  ['end("s")', 'POST /sessions/s/end (random)'],
  [
    'decide("s", "p", "reject", "hash", message="x", key="k")',
    `${DECIDE} {"decision":"reject","contentHash":"hash","message":"x"} k`,
  ],
  ['answer("s", "p", None, "hash", key="k")', `${DECIDE} {"decision":"decline","contentHash":"hash"} k`],
  [
    'answer("s", "p", {"a": "b"}, "hash", message="x")',
    `${DECIDE} {"answers":{"a":"b"},"contentHash":"hash","message":"x"} (random)`,
  ],
  [
    'invoke("m", ["ls", "-l"], cwd="/b", timeout=2, key="k")',
    'POST /machines/m/invoke {"command":"ls","args":["-l"],"cwd":"/b","timeoutMs":2000} k',
  ],
  [
    'run("m", ["ls"], cwd="/b", timeout=2, key="k")',
    'POST /machines/m/invocations {"command":"ls","args":[],"cwd":"/b","timeoutMs":2000} k',
    'GET /machines/m/invocations/id_1',
    'GET /machines/m/invocations/id_1/output?stream=stdout&offset=0&limit=262144',
    'GET /machines/m/invocations/id_1/output?stream=stderr&offset=0&limit=262144',
  ],
  [
    'start_invocation("m", ["ls"], cwd="/b", timeout=2, key="k")',
    'POST /machines/m/invocations {"command":"ls","args":[],"cwd":"/b","timeoutMs":2000} k',
  ],
  ['cancel_invocation("m", "i")', 'POST /machines/m/invocations/i/cancel (random)'],
  [
    'create_webhook("u", ["*"], "d", format="ntfy", headers={"a": "b"})',
    'POST /webhooks {"url":"u","events":["*"],"description":"d","format":"ntfy","headers":{"a":"b"}} (random)',
  ],
  ['delete_webhook("w")', 'DELETE /webhooks/w'],
  ['request("POST", "/x", {"a": 1}, key="k")', 'POST /x {"a":1} k'],
];
const STREAMS: Row[] = [
  [
    'events(["turn.ended", "turn.started"], last_event_id="c7")',
    'GET /events?types=turn.ended,turn.started (after c7)',
  ],
  [
    'events(session_id="s", content="plaintext", deltas=["tool", "plan"])',
    'GET /sessions/s/events?deltas=tool,plan&content=plaintext',
  ],
];

describeWith('python3')('the Python client', () => {
  let proxy: FaultProxy;

  beforeAll(async () => {
    // Every request gets an answer of the test instead of one of a service.
    proxy = await FaultProxy.start('http://127.0.0.1:1');
  });
  beforeEach(() => proxy.reset());
  afterAll(() => proxy?.stop());

  const run = (script: string) => runPython(script, { HOST_URL: proxy.url, TOKEN: 'x' });
  const listRequests = () =>
    proxy.requests.map(({ method, url, headers, body }) => {
      const key = String(headers['idempotency-key'] ?? '').replace(/^[\da-f-]{36}$/, '(random)');
      const cursor = headers['last-event-id'] ? `(after ${String(headers['last-event-id'])})` : '';
      const path = decodeURIComponent(url.slice('/external/v1'.length).replaceAll('%2F1', '%252F1'));
      const compact = body && JSON.stringify(JSON.parse(body));
      return [method, path, compact, key, cursor].filter(Boolean).join(' ');
    });

  it.each<[string, Row[], Fault, string]>([
    ['reads', READS, ONE, 'client.$'],
    ['lists', LISTS, MANY, 'list(client.$)'],
    ['writes', WRITES, ONE, 'client.$'],
    ['streams', STREAMS, STREAM, 'next(client.$)'],
  ])('sends all arguments of its %s', async (_, rows, answer, code) => {
    proxy.lastingFault = answer;
    await run(rows.map(([call]) => code.replace('$', () => call)).join('\n'));
    expect(listRequests()).toEqual(rows.flatMap(([, ...requests]) => requests));
  });

  it('says that a call may have run which was lost, and was refused when it was repeated', async () => {
    const refusal = json({ code: 'service_unavailable', outcome: 'not_delivered' }, 503, { 'retry-after': '300' });
    proxy.faults = ['reset-before', refusal, 'reset-before', refusal];
    const script = `
for call in [lambda: client.end("s"), lambda: client.options("s")]:
    try:
        call()
    except ApiError as error:
        show([type(error).__name__, error.code, error.outcome, error.retry_after])
`;
    expect(await run(script)).toEqual([
      ['OutcomeUnknown', 'service_unavailable', 'unknown', 300],
      ['NotDelivered', 'service_unavailable', 'not_delivered', 300],
    ]);
  });

  it('repeats a call, and opens a stream again, after a request that did not arrive in time', async () => {
    const late = json({ code: 'request_timeout' }, 408);
    proxy.faults = [late, ONE, late, STREAM];
    expect(await run('client.end("s")\nshow(next(client.events()).type)')).toEqual(['stream.opened']);
    const end = 'POST /sessions/s/end (random)';
    expect(listRequests()).toEqual([end, end, 'GET /events', 'GET /events']);
  });

  it('repeats a read, and opens a stream again, after a defect of the service, but repeats no write', async () => {
    const defect = json({ code: 'internal_error' }, 500);
    proxy.faults = [defect, ONE, defect, STREAM, defect];
    const script = `
client.me()
show(next(client.events()).type)
try:
    client.end("s")
except ApiError as error:
    show([error.status, error.code])
`;
    expect(await run(script)).toEqual(['stream.opened', [500, 'internal_error']]);
    const end = 'POST /sessions/s/end (random)';
    expect(listRequests()).toEqual(['GET /me', 'GET /me', 'GET /events', 'GET /events', end]);
  });

  it('takes a secret with a line break, and refuses all webhooks with a malformed or empty one', async () => {
    const script = `
import base64, hashlib, hmac, time
def verify(secret, key):
    sent_at = str(int(time.time()))
    signature = base64.b64encode(hmac.new(key, f"evt_1.{sent_at}.{{}}".encode(), hashlib.sha256).digest()).decode()
    headers = {"webhook-id": "evt_1", "webhook-timestamp": sent_at, "webhook-signature": f"v1,{signature}"}
    try:
        show(verify_webhook(b"{}", headers, secret))
    except WebhookVerificationError as error:
        show(str(error))
verify("whsec_a2V5\\n", b"key")
for secret in ["whsec_a2V", "whsec_a2V5 a2V5", "whsec_\\u00e9", "whsec_", ""]:
    verify(secret, b"")
`;
    const refusals = Array(5).fill('The secret must be the whsec_… of the webhook.');
    expect(await run(script)).toEqual([{ id: 'evt_1' }, ...refusals]);
  });

  it('lets a wait take its time, however little other calls may take', async () => {
    proxy.lastingFault = ONE;
    const script = `
impatient = Client(client.host, "x", timeout=5)
send, timeouts = impatient._opener.open, []
def record(request, timeout):
    timeouts.append(timeout)
    return send(request, timeout=timeout)
impatient._opener.open = record
impatient.wait_for_turn("s", "t", after_version=7)
impatient.send("s", "hi")
impatient.me()
show(timeouts)
`;
    expect(await run(script)).toEqual([[38, 35, 5]]);
  });

  it('opens a stream again after the last event that has an ID', async () => {
    proxy.faults = [stream('id: c1\nevent: turn.started', 'event: delta'), STREAM];
    expect(await run('events = client.events()\nshow([next(events).type for _ in range(3)])')).toEqual([
      ['turn.started', 'delta', 'stream.opened'],
    ]);
    expect(listRequests()).toEqual(['GET /events', 'GET /events (after c1)']);
  });

  it('ends the stream of a session that is deleted, and opens that of the account again', async () => {
    const deleted = stream('id: c1\nevent: session.deleted');
    proxy.faults = [deleted, deleted, STREAM];
    const script = `
show([event.type for event in client.events(session_id="s")])
events = client.events()
show([next(events).type for _ in range(2)])
`;
    expect(await run(script)).toEqual([['session.deleted'], ['session.deleted', 'stream.opened']]);
    expect(listRequests()).toEqual(['GET /sessions/s/events', 'GET /events', 'GET /events (after c1)']);
  });

  it('opens a stream again when Retry-After has passed', async () => {
    proxy.faults = [json({ code: 'service_unavailable' }, 503, { 'retry-after': '2' }), STREAM];
    expect(await run('show(next(client.events()).type)')).toEqual(['stream.opened']);
    const [first, second] = proxy.requests;
    expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(1_990);
  });
});
