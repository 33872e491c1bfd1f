import { Webhook } from 'standardwebhooks';
import { FaultProxy, type Fault } from '../support/clients/fault-proxy';
import { describeWith } from '../support/dependencies';
import { waitFor } from '../support/wait-for';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { IntegrationFixture } from './support/integration-fixture';
import { PythonProcess, runPython } from './support/python';

const ID = { 'x-request-id': 'req_0' };
/** What the service itself answers. */
const problem = (status: number, code: string, members: object = {}, headers: Record<string, string> = {}): Fault => ({
  status,
  headers: { ...ID, ...headers },
  body: { code, detail: 'Injected.', requestId: 'req_0', ...members },
});
const json = (body: object, headers: Record<string, string> = ID): Fault => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});
const OUTSIDE = 'The webhook is too old, or the clocks differ.';
const TURN = { object: 'turn', id: 'turn_1', state: 'completed', version: 2 };

describeWith('python3')('the Python client when something fails', () => {
  let fixture: IntegrationFixture;
  let proxy: FaultProxy;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    fixture = await IntegrationFixture.start();
    proxy = await FaultProxy.start(fixture.url);
    env = { HOST_URL: proxy.url, TOKEN: fixture.token, MACHINE: fixture.machine.id };
  });
  beforeEach(() => proxy.reset());
  afterAll(async () => {
    await proxy?.stop();
    await fixture?.stop();
  });

  const getKeys = () => proxy.requests.map(({ headers }) => headers['idempotency-key']);
  const countKeys = () => new Set(getKeys()).size;

  it('waits as long as Retry-After says, and repeats calls that were not delivered or still run', async () => {
    proxy.faults = [
      problem(429, 'rate_limited', {}, { 'Retry-After': '2' }),
      problem(503, 'no_online_device', { outcome: 'not_delivered' }, { 'Retry-After': '0' }),
      problem(409, 'idempotency_in_progress', {}, { 'Retry-After': '0' }),
    ];
    const script = `
import time
began = time.monotonic()
show(client.invoke(os.environ["MACHINE"], ["echo", "once"])["stdout"])
show(time.monotonic() - began >= 2)
`;
    expect(await runPython(script, env)).toEqual(['once\n', true]);
    expect(proxy.requests).toHaveLength(4);
    expect(countKeys()).toBe(1);
  });

  it('repeats a call with the same key when its connection is lost, and the command runs once', async () => {
    proxy.faults = ['reset-after', 'reset-before', { status: 502, body: '<h1>Bad gateway</h1>' }];
    const script = `show(client.invoke(os.environ["MACHINE"], ["sh", "-c", "echo ran >> once.txt; cat once.txt"]))`;
    const [result] = await runPython(script, env);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
    expect(proxy.requests).toHaveLength(4);
    expect(getKeys()[0]).toMatch(/^[\w-]{36}$/);
    expect(countKeys()).toBe(1);
    const cat = { command: 'cat', args: ['once.txt'] };
    expect((await fixture.post(`/machines/${fixture.machine.id}/invoke`, cat)).result.stdout).toBe('ran\n');
  });

  it('raises errors with their members at once where a repetition cannot help', async () => {
    proxy.faults = [
      problem(504, 'timeout', { outcome: 'unknown' }),
      problem(429, 'device_busy', { outcome: 'not_delivered' }, { 'Retry-After': '300' }),
    ];
    const script = `
token = os.environ["TOKEN"]
calls = [
    lambda: Client(client.host, token, retry_for=0).invoke(os.environ["MACHINE"], ["true"]),
    lambda: client.invoke(os.environ["MACHINE"], ["true"]),
    lambda: client.session("ses_unknown/../x"),
    lambda: client.invoke(os.environ["MACHINE"], ["true"], timeout=40),
    lambda: Client(client.host, "svc_pat_wrong").me(),
    lambda: Client("http://127.0.0.1:1", "t", retry_for=0).me(),
]
for call in calls:
    try:
        call()
    except ApiError as error:
        show([type(error).__name__, error.status, error.code, error.outcome, error.retry_after])
`;
    expect(await runPython(script, env)).toEqual([
      ['OutcomeUnknown', 504, 'timeout', 'unknown', null],
      ['NotDelivered', 429, 'device_busy', 'not_delivered', 300],
      ['ApiError', 404, 'not_found', null, null],
      ['ApiError', 400, 'invalid_request', null, null],
      ['ApiError', 401, 'invalid_token', null, null],
      ['ConnectionFailed', 0, 'connection_failed', 'not_delivered', null],
    ]);
    expect(proxy.requests).toHaveLength(5);
    expect(proxy.requests[2]!.url).toBe('/external/v1/sessions/ses_unknown%2F..%2Fx');
  });

  it('waits for a turn that the device has not reported yet', async () => {
    proxy.faults = [problem(404, 'not_found'), json({ data: TURN })];
    expect(await runPython(`show(client.wait_for_turn("ses_1", "turn_1"))`, env)).toEqual([TURN]);
  });

  it('reads all pages of the sessions of agents, of which some are empty', async () => {
    const page = (titles: string[], nextCursor: string | null) =>
      json({ result: { sessions: titles.map((title) => ({ title })), nextCursor, problems: [] } });
    proxy.faults = [page(['a'], 'c1'), page([], 'c2'), page(['b'], null)];
    const script = `show([session["title"] for session in client.agent_sessions("mch_1", agent="test")])`;
    expect(await runPython(script, env)).toEqual([['a', 'b']]);
    const queries = proxy.requests.map(({ url }) => url.split('?')[1]);
    expect(queries).toEqual(['agent=test', 'agent=test&cursor=c1', 'agent=test&cursor=c2']);
  });

  it('says that the machine no longer has the beginning of the output of a command', async () => {
    const invocation = json({ data: { id: 'inv_1', state: 'completed', exitCode: 0, version: 1 } });
    const output = (offset: number, text: string, totalBytes: number) =>
      json({ result: { offset, data: btoa(text), nextOffset: offset + text.length, totalBytes } });
    const pages = [output(10, 'a', 12), output(11, 'b', 12)];
    proxy.faults = [invocation, invocation, ...pages, output(0, '', 0), ...pages];
    const script = `
run = client.run("mch_1", ["make"])
show([run.stdout.decode(), run.stderr.decode(), run.truncated])
content, first = client.output("mch_1", "inv_1", "stdout")
show([content.decode(), first])
`;
    expect(await runPython(script, env)).toEqual([
      ['ab', '', true],
      ['ab', 10],
    ]);
  });

  it('says that a command may have run which it could not cancel, or whose output it could not read', async () => {
    const invocation = (state: string) => json({ data: { id: 'inv_1', state, exitCode: 0, version: 1 } });
    const offline = problem(503, 'no_online_device', { outcome: 'not_delivered' });
    proxy.faults = [invocation('running'), problem(403, 'insufficient_scope'), offline];
    proxy.faults.push(invocation('completed'), invocation('completed'), offline);
    const script = `
once = Client(client.host, os.environ["TOKEN"], retry_for=0)
for _ in range(2):
    try:
        once.run("mch_1", ["make"])
    except ApiError as error:
        show([type(error).__name__, error.code, error.outcome])
`;
    expect(await runPython(script, env)).toEqual([
      ['ApiError', 'insufficient_scope', null],
      ['OutcomeUnknown', 'no_online_device', 'unknown'],
    ]);
  });

  it('takes only the address of a service without a user name and a path', async () => {
    const script = `
for host in ["https://example.com/", "https://user:password@example.com", "https://example.com/external/v1",
             "https://example.com?a", "ftp://example.com", "example.com"]:
    try:
        show(Client(host, "t").host)
    except ValueError as error:
        show(str(error))
`;
    const refusal = 'The host must be an http or https URL without a user name and a path.';
    expect(await runPython(script, env)).toEqual(['https://example.com', ...Array(5).fill(refusal)]);
  });

  it('gives up when a call gets no response in time', async () => {
    const script = `
impatient = Client(client.host, os.environ["TOKEN"], timeout=1, retry_for=0)
try:
    impatient.invoke(os.environ["MACHINE"], ["sleep", "3"])
except ConnectionFailed as error:
    show([error.outcome, str(error)])
`;
    const [[outcome, text]] = await runPython(script, env);
    expect(outcome).toBe('unknown');
    expect(text).toContain(`connection_failed: ${proxy.url} did not respond (`);
  });

  it('shows the token in no text of its own', async () => {
    const script = `
texts = [repr(client), str(client)]
for token in ["svc_pat_bad\\r\\nX-Header: 1", ""]:
    try:
        Client(client.host, token)
    except ValueError as error:
        texts.append(str(error))
unreachable = Client("http://127.0.0.1:1", os.environ["TOKEN"], retry_for=0)
for call in [Client(client.host, "svc_pat_wrong").me, unreachable.me]:
    try:
        call()
    except ApiError as error:
        texts += [str(error), repr(error), repr(error.problem)]
show(texts)
`;
    const [texts] = await runPython(script, env);
    expect(texts).toHaveLength(10);
    expect(texts.join('\n')).not.toContain('svc_pat_');
  });

  it('reads the content of a session while an agent writes, and stops at errors that stay', async () => {
    const SESSION = await waitFor(() => fixture.startSession(), 20_000);
    const script = `
stream = client.events(session_id=os.environ["SESSION"], content="plaintext", deltas=["message", "plan"])
show(next(stream).type)
for event in stream:
    if event.type == "delta" and "kind" in event.data:
        show([event.data["kind"], event.data["content"]])
    elif event.type == "delta":
        show(["delta", event.data["content"], event.cursor])
    if event.type == "message.created" and event.data["role"] == "assistant":
        show(["message", event.data["content"]["content"]])
        break
try:
    next(client.events(last_event_id="altered"))
except ApiError as error:
    show([error.status, error.code])
`;
    const stream = new PythonProcess(script, { ...env, SESSION });
    await stream.waitForValues((values) => expect(values).toEqual(['stream.opened']));
    await fixture.post(`/sessions/${SESSION}/messages`, {
      content: 'plan Build|Test\nwait 1500\nupdates 3\nwait 1000',
      waitMs: 0,
    });
    expect(await stream.exited).toMatchObject({ code: 0, stderr: '' });
    const deltas = stream.values.filter(([type]) => type === 'delta');
    const message = stream.values.find(([type]) => type === 'message')![1];
    expect(deltas.length).toBeGreaterThan(0);
    expect(stream.values.find(([type]) => type === 'plan')![1]).toContain('"Build"');
    expect(deltas[0][2]).toBeNull();
    expect(message.startsWith(deltas[0][1])).toBe(true);
    expect(stream.values.at(-1)).toEqual([400, 'invalid_cursor']);
  });

  it('creates a webhook although the first response is lost, and verifies its deliveries', async () => {
    const receiver = await WebhookReceiver.start();
    proxy.faults = ['reset-after'];
    const script = `
webhook, secret = client.create_webhook(
    os.environ["RECEIVER"], ["session.created"], format="standard", headers={"X-Api-Key": "of the receiver"}
)
show([webhook["id"], secret])
show([webhook["id"] for webhook in client.webhooks()])
`;
    const [[id, secret], ids] = await runPython(script, { ...env, RECEIVER: receiver.url });
    expect(ids).toEqual([id]);
    const session = await fixture.ada.createSession(fixture.ada);
    const [delivery] = await receiver.waitForRequests(1, 20_000);
    await receiver.stop();
    expect(delivery!.headers).toMatchObject({ 'x-api-key': 'of the receiver' });
    expect(() => new Webhook(secret).verify(delivery!.body, delivery!.headers)).not.toThrow();

    const verify = `
import time
delivery, secret = json.loads(os.environ["DELIVERY"]), os.environ["SECRET"]
body, headers = delivery["body"].encode(), delivery["headers"]
event = verify_webhook(body, {name.title(): value for name, value in headers.items()}, secret)
show([event["id"] == headers["webhook-id"], event["type"], event["data"]["id"]])
rotated = {**headers, "webhook-signature": "v1,AAAA " + headers["webhook-signature"]}
show(verify_webhook(body, rotated, secret)["id"] == event["id"])
late = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 301)}
clock, sent_at = time.time, int(headers["webhook-timestamp"])
for difference in [300, 301, -300, -301]:
    time.time = lambda: sent_at + difference
    try:
        show([difference, verify_webhook(body, headers, secret)["type"]])
    except WebhookVerificationError as error:
        show([difference, str(error)])
show(verify_webhook(body, headers, secret, tolerance=301)["type"])
time.time = clock
for arguments in [(body + b" ", headers), (body, late), (body, {**headers, "webhook-id": "evt_0"}), (body, {}),
                  (body, {**headers, "webhook-signature": "v1,\\u00e9"})]:
    try:
        verify_webhook(*arguments, secret)
    except WebhookVerificationError as error:
        show("refused")
client.delete_webhook(os.environ["WEBHOOK"])
show(list(client.webhooks()))
`;
    proxy.faults = ['reset-after'];
    const variables = { DELIVERY: JSON.stringify(delivery), SECRET: secret, WEBHOOK: id };
    expect(await runPython(verify, { ...env, ...variables })).toEqual([
      [true, 'session.created', session.id],
      true,
      [300, 'session.created'],
      [301, OUTSIDE],
      [-300, 'session.created'],
      [-301, OUTSIDE],
      'session.created',
      ...Array(5).fill('refused'),
      [],
    ]);
  });
});
