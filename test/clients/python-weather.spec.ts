import { createServer, type AddressInfo } from 'node:net';
import { FaultProxy, type Fault } from '../support/clients/fault-proxy';
import { describeWith } from '../support/dependencies';
import { IntegrationFixture } from './support/integration-fixture';
import { runPython } from './support/python';

/** A proxy that asks for another password. */
const REFUSAL = 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
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
const page = (status: number): Fault => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html>Portal</html>',
});
const TURN = { object: 'turn', id: 'turn_1', state: 'completed', version: 2 };

/** What something between client and service may answer. */
const WEATHER: [name: string, fault: Fault][] = [
  ['a page with 200', page(200)],
  ['a page with 401', page(401)],
  ['a page with 404', page(404)],
  ['a redirect to a portal', { status: 302, headers: { Location: 'http://127.0.0.1:9/login' } }],
  ['a proxy that asks for a password', { status: 407, headers: { 'Proxy-Authenticate': 'Basic' }, body: '' }],
  ['204 of a portal', { status: 204, body: '' }],
  ['204 with an ID', { status: 204, headers: ID, body: '' }],
  ['JSON without an ID', json({ data: TURN, result: {} }, {})],
  ['JSON of something else', json({ ok: true })],
  ['JSON that looks almost right', json({ data: 'turn_1', result: [] })],
  ['a list without a cursor', json({ data: [] })],
  ['half an answer', { status: 200, headers: { ...ID, 'content-type': 'application/json' }, body: '{"data":{' }],
  [
    'JSON of an error',
    { status: 401, headers: { ...ID, 'content-type': 'application/json' }, body: { code: 'revoked' } },
  ],
  ['a problem of a gateway', { status: 403, body: { code: 'forbidden', detail: 'No.', requestId: 'req_0' } }],
  ['a problem with an ID of a gateway', problem(404, 'not_found', {}, { 'x-request-id': 'req_of_the_gateway' })],
  ['a problem without a code', { status: 404, headers: ID, body: { detail: 'No.', requestId: 'req_0' } }],
];

describeWith('python3')('the Python client when something answers instead of the service', () => {
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

  it('takes no answer for that of the service which the service did not give, and repeats the call', async () => {
    const script = `
impatient = Client(client.host, os.environ["TOKEN"], retry_for=0)
calls = [
    lambda: impatient.session("ses_1"),
    lambda: impatient.invoke(os.environ["MACHINE"], ["true"]),
    lambda: next(impatient.machines()),
]
for name in json.loads(os.environ["NAMES"]):
    for call in calls:
        try:
            show([name, "succeeded", call()])
        except UnexpectedResponse as error:
            show([name, error.code, error.outcome, "instead of the service" in str(error)])
`;
    proxy.faults = WEATHER.flatMap(([, fault]) => [fault, fault, fault]);
    const NAMES = JSON.stringify(WEATHER.map(([name]) => name));
    expect(await runPython(script, { ...env, NAMES })).toEqual(
      WEATHER.flatMap(([name]) =>
        [null, 'unknown', null].map((outcome) => [name, 'unexpected_response', outcome, true]),
      ),
    );
    proxy.reset();
    proxy.faults = [page(404), json({ ok: true })];
    const command = '["sh", "-c", "echo ran >> weather.txt; cat weather.txt"]';
    const repeated = `show(client.invoke(os.environ["MACHINE"], ${command})["stdout"])`;
    expect(await runPython(repeated, env)).toEqual(['ran\n']);
    expect(new Set(proxy.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('says that a webhook is deleted only if the service says so', async () => {
    const script = `
webhook, _ = client.create_webhook("https://example.com/hook", ["session.created"])
client.delete_webhook(webhook["id"])
try:
    client.request("GET", "/webhooks/" + webhook["id"])
except ApiError as error:
    show([error.status, error.code])
`;
    proxy.faults = [null, page(404), { status: 204, body: '' }, page(404)];
    expect(await runPython(script, env)).toEqual([[404, 'not_found']]);
    expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(4);
  });

  it('opens an event stream again when a portal has answered', async () => {
    proxy.faults = [page(200), json({ data: [] }), { status: 204, body: '' }, null];
    expect(await runPython(`show(next(client.events()).type)`, env)).toEqual(['stream.opened']);
    expect(proxy.requests).toHaveLength(4);
  });

  it('names the proxy that opens no tunnel, without its password, and says that nothing was sent', async () => {
    const script = `
try:
    Client("https://service.invalid", os.environ["TOKEN"], retry_for=0).me()
except ConnectionFailed as error:
    show([error.outcome, error.lasting, str(error)])
`;
    const forward = createServer((socket) => socket.once('data', () => socket.end(REFUSAL)));
    await new Promise<void>((resolve) => forward.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(forward.address() as AddressInfo).port}`;
    const [[outcome, lasting, text]] = await runPython(script, { ...env, HTTPS_PROXY: `http://ada:SECRET@${address}` });
    forward.close();
    expect([outcome, lasting]).toEqual(['not_delivered', true]);
    expect(text).toContain(`can't be reached through the proxy ${address} (the proxy answered with status 407)`);
    expect(text).not.toContain('SECRET');
  });
});
