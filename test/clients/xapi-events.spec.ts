import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApprovalFixture } from '../support/approval-fixture';
import { FaultProxy } from '../support/clients/fault-proxy';
import { readJson, runXapi, XapiProcess, type XapiEnv } from '../support/clients/xapi';
import type { MachineProcess } from '../support/machine-process';
import { createScratchFolder } from '../support/scratch-folder';
import { createShiftedClockEnvironment } from '../support/shifted-clock';
import { waitFor } from '../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { respondWithStatus, verifySignature, WebhookReceiver } from '../support/webhooks/webhook-receiver';

const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'machines:read',
  'machines:invoke',
  'webhooks:manage',
];
/** A terminal would change its title, write in red, move up a line, and show the end reversed. */
const ESCAPES = '\x1b]0;owned\x07\x1b[31m\x9b1Abox\u202e';
const VISIBLE_ESCAPES = '\\u{1b}]0;owned\\u{7}\\u{1b}[31m\\u{9b}1Abox\\u{202e}';
const HOUR = 3_600_000;

describe('the events and limits of xapi', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  let proxy: FaultProxy;
  let env: XapiEnv;
  const running: XapiProcess[] = [];

  beforeAll(async () => {
    fixture = await ApprovalFixture.start(LOOPBACK_WEBHOOKS_ENV);
    machine = await fixture.startMachine('--name', 'build-1');
    proxy = await FaultProxy.start(fixture.service.url);
    const { token } = await fixture.ada.createToken(SCOPES);
    env = { XAPI_HOST: fixture.service.url, XAPI_TOKEN: token, XDG_CONFIG_HOME: createScratchFolder() };
  });
  afterEach(async () => {
    proxy.reset();
    for (const process of running.splice(0)) {
      process.child.kill('SIGKILL');
      await process.exited;
    }
  });
  afterAll(async () => {
    await proxy?.stop();
    await fixture?.stop();
  });

  const xapi = (...args: string[]) => runXapi(args, env);
  const readLines = (text: string): any[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const proxied = () => ({ ...env, XAPI_HOST: proxy.url });

  /** Starts a command that goes on until the test ends. */
  function start(args: string[], processEnv = env): XapiProcess {
    const process = new XapiProcess(args, processEnv);
    running.push(process);
    return process;
  }

  describe('watch', () => {
    it('prints one JSON line for each event, also after a connection that broke', async () => {
      const sessionId = await fixture.startSession(machine);
      proxy.faults = [{ closeAfterBytes: 400 }];
      const watching = start(['watch', sessionId, '--json', '--types', 'turn.ended'], proxied());
      await watching.waitForOutput('stream.opened');
      for (const text of ['say one', 'say two'])
        expect(await xapi('send', sessionId, text, '--wait')).toMatchObject({ code: 0 });
      await waitFor(() => {
        const ended = readLines(watching.out).filter(({ type }) => type === 'turn.ended');
        expect(ended).toMatchObject([{ data: { state: 'completed' } }, { data: { state: 'completed' } }]);
      }, 30_000);
      const ids = readLines(watching.out).flatMap(({ id }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      watching.child.kill('SIGINT');
      expect(await watching.exited).toMatchObject({ code: 130, err: '' });
    });

    it('begins after the cursor of an event that it has printed', async () => {
      const sessionId = await fixture.startSession(machine);
      const first = start(['watch', sessionId, '--json', '--types', 'turn.ended']);
      await first.waitForOutput('stream.opened');
      await xapi('send', sessionId, 'say one', '--wait');
      await first.waitForOutput('turn.ended');
      const { cursor } = readLines(first.out).at(-1);
      await xapi('send', sessionId, 'say two', '--wait');
      const second = start(['watch', sessionId, '--json', '--types', 'turn.ended', '--after', cursor]);
      await second.waitForOutput('turn.ended');
      expect(readLines(second.out).filter(({ type }) => type === 'turn.ended')).toHaveLength(1);
    });

    it('prints what the agent says with --content, and refuses it without a session', async () => {
      const sessionId = await fixture.startSession(machine);
      const watching = start(['watch', sessionId, '--content']);
      await watching.waitForOutput('Watching.');
      await xapi('send', sessionId, 'say All tests pass.', '--wait');
      await watching.waitForOutput('          All tests pass.');
      expect(watching.out).toMatch(/^\d\d:\d\d:\d\d {2}turn\.ended {14}turn_\w{26} {2}completed$/m);
      expect(await xapi('watch', '--content')).toMatchObject({ code: 2, out: '' });
    });

    it('prints tool calls when they begin, and plans, with --progress', async () => {
      const sessionId = await fixture.startSession(machine);
      const watching = start(['watch', sessionId, '--progress']);
      await watching.waitForOutput('Watching.');
      await xapi('send', sessionId, 'plan Build|Test|Ship\nslow-tool 2000\nsay Done.', '--wait');
      await watching.waitForOutput('          Done.');
      expect(watching.out).toContain('          [x] Build\n          [>] Test\n          [ ] Ship\n');
      const begun = watching.out.indexOf('          Run the tests: in_progress\n');
      expect(begun).toBeGreaterThan(0);
      expect(watching.out.indexOf('message.created', begun)).toBeGreaterThan(begun);
      expect(watching.out.split('Run the tests: in_progress')).toHaveLength(2);
    });
  });

  describe('webhooks', () => {
    it('creates one with its secret, lists it and deletes it', async () => {
      const receiver = await WebhookReceiver.start();
      const created = await xapi('webhooks', 'create', receiver.url, '--events', 'session.created');
      const [, id, secret] = /^ID +(wh\w+)\nEvents +session\.created\nSecret +(whsec_\S+)\n$/.exec(created.out)!;
      expect(created.err).toContain('It is shown only this time.');
      await fixture.startSession(machine);
      const [request] = await receiver.waitForRequests(1, 20_000);
      expect(verifySignature(secret!, request!)).toMatchObject({ type: 'session.created' });
      expect(await readJson(['webhooks'], env)).toMatchObject([{ id, url: receiver.url, state: 'active' }]);
      expect((await xapi('webhooks', 'list')).out).toMatch(new RegExp(`^${id} +active `, 'm'));
      expect(await xapi('webhooks', 'delete', id!)).toMatchObject({ code: 0, out: `Deleted ${id}.\n`, err: '' });
      expect(await readJson(['webhooks'], env)).toEqual([]);
      await receiver.stop();
    });

    it('creates one for a topic of ntfy, with a header', async () => {
      const receiver = await WebhookReceiver.start();
      const args = ['--events', 'session.created', '--format', 'ntfy', '--header', 'Authorization=Bearer a=b'];
      const { id } = await readJson(['webhooks', 'create', receiver.url, ...args], env);
      await fixture.startSession(machine);
      const [request] = await receiver.waitForRequests(1, 20_000);
      expect(request).toMatchObject({ body: 'A session is created', headers: { authorization: 'Bearer a=b' } });
      expect(await readJson(['webhooks'], env)).toMatchObject([{ format: 'ntfy', headerNames: ['authorization'] }]);
      expect(await xapi('webhooks', 'create', receiver.url, '--header', 'Authorization')).toMatchObject({ code: 2 });
      expect(await xapi('webhooks', 'create', receiver.url, '--format', 'teams')).toMatchObject({ code: 2 });
      await xapi('webhooks', 'delete', id);
      await receiver.stop();
    });

    it('reads the value of a header from a file or from standard input, which other users can not see', async () => {
      const receiver = await WebhookReceiver.start();
      const file = join(createScratchFolder(), 'header');
      writeFileSync(file, 'Bearer from-a-file\r\n');
      const create = ['webhooks', 'create', receiver.url, '--events', 'session.created'];
      const headers = ['--header', `Authorization=@${file}`, '--header', 'X-Key=@-', '--header', 'X-Name=@@ada'];
      const { id } = await readJson([...create, ...headers], env, 'from-input\n');
      await fixture.startSession(machine);
      const [request] = await receiver.waitForRequests(1, 20_000);
      const sent = { authorization: 'Bearer from-a-file', 'x-key': 'from-input', 'x-name': '@ada' };
      expect(request!.headers).toMatchObject(sent);
      await xapi('webhooks', 'delete', id);
      const missing = await xapi(...create, '--header', 'X-Key=@/nonexistent');
      expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("/nonexistent can't be read: ENOENT.") });
      const empty = await xapi(...create, '--header', 'X-Key=@-');
      expect(empty).toMatchObject({ code: 2, err: expect.stringContaining('Standard input has no value') });
      expect(await readJson(['webhooks'], env)).toEqual([]);
      await receiver.stop();
    });

    it('forwards events to a server, signed with the secret of the run', async () => {
      const receiver = await WebhookReceiver.start();
      receiver.handler = (request, response, n) => respondWithStatus(n === 1 ? 204 : 500)(request, response, n);
      const listening = start([
        'webhooks',
        'listen',
        '--forward',
        receiver.url,
        '--types',
        'turn.ended,session.created',
      ]);
      await listening.waitForOutput('Press Ctrl-C');
      const [, secret] = /^Signing secret +(whsec_\S+)$/m.exec(listening.out)!;
      const sessionId = await fixture.startSession(machine);
      await receiver.waitForRequests(1);
      await xapi('send', sessionId, 'say hello', '--wait');
      const requests = await receiver.waitForRequests(2);
      expect(requests.map((request) => verifySignature(secret!, request))).toMatchObject([
        { type: 'session.created', data: { id: sessionId } },
        { type: 'turn.ended', data: { sessionId, state: 'completed' } },
      ]);
      await listening.waitForOutput('500  turn.ended');
      expect(listening.out).toMatch(/^\d\d:\d\d:\d\d {2}204 {2}session\.created {2}\d+ ms$/m);
      await receiver.stop();
      const other = await fixture.startSession(machine);
      await listening.waitForOutput('ECONNREFUSED  session.created');
      expect(await readJson(['webhooks'], env)).toEqual([]);
      expect(other).not.toBe(sessionId);
    });

    it.each([[[]], [['--forward', 'localhost:4000']]])(
      'listens only with an address to forward to: %j',
      async (args) => {
        const { code, err } = await xapi('webhooks', 'listen', ...args);
        expect(code).toBe(2);
        expect(err).toContain('--forward');
      },
    );
  });

  describe('when the service limits calls', () => {
    const limited = (seconds: string) => ({
      status: 429,
      headers: { 'retry-after': seconds, 'x-request-id': 'req_0' },
      body: { code: 'rate_limited', status: 429, detail: 'Too many calls.', requestId: 'req_0' },
    });

    it('waits as long as the service demands, and sends the message once', async () => {
      const sessionId = await fixture.startSession(machine);
      proxy.faults = Array.from({ length: 6 }, () => limited('1'));
      const { code, out } = await runXapi(['send', sessionId, 'say Done.', '--wait'], proxied());
      expect({ code, out }).toEqual({ code: 0, out: 'Done.\n' });
      expect(await fixture.get(`/sessions/${sessionId}/turns`)).toHaveLength(1);
      const sent = proxy.requests.filter(({ method }) => method === 'POST');
      expect(sent).toHaveLength(7);
      expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      for (const [n, { receivedAt }] of sent.slice(1).entries())
        expect(receivedAt - sent[n]!.receivedAt).toBeGreaterThan(990);
    });

    it('exits with 4 if the wait would be longer than --retry-for', async () => {
      proxy.lastingFault = limited('30');
      const { code, out, err } = await runXapi(['whoami', '--retry-for', '5s'], proxied());
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toContain('error: Too many calls.\nTry again later');
      expect(proxy.requests).toHaveLength(1);
    });
  });

  it.each([HOUR, -HOUR])('works with a clock that is %i ms off', async (shift) => {
    const shifted = { ...env, ...createShiftedClockEnvironment(shift) } as XapiEnv;
    const sessionId = await fixture.startSession(machine);
    const sent = await runXapi(['send', sessionId, 'say Done.', '--wait', '--timeout', '2m'], shifted);
    expect(sent).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(await runXapi(['run', 'build-1', '--', 'echo', 'hi'], shifted)).toMatchObject({ code: 0, out: 'hi\n' });
    const { out } = await runXapi(['sessions'], shifted);
    expect(out).toMatch(new RegExp(`^${sessionId} .*(now|\\d+ s ago|1 min ago)`, 'm'));
  });

  it('ends after a second Ctrl-C, and the turn goes on', async () => {
    const sessionId = await fixture.startSession(machine);
    const sending = start(['send', sessionId, 'wait-for never.txt', '--wait']);
    await waitFor(
      async () => expect(await fixture.get(`/sessions/${sessionId}/turns?state=running`)).toHaveLength(1),
      15_000,
    );
    sending.child.kill('SIGINT');
    sending.child.kill('SIGINT');
    expect(await sending.exited).toMatchObject({ code: 130, signal: null, out: '' });
    expect(await fixture.get(`/sessions/${sessionId}/turns?state=running`)).toHaveLength(1);
    await xapi('cancel', sessionId);
  });

  describe('a text that a terminal would obey', () => {
    // The service refuses controls in names, but not every host is a recent one.
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_0' };
    const answer = (body: object) => ({ status: 200, headers, body });

    it('is visible for people as the name of a machine, and untouched in JSON', async () => {
      const [data] = await readJson(['machines'], env);
      const page = answer({ data: [{ ...data, name: ESCAPES }], nextCursor: null });
      proxy.faults = [page, page];
      expect((await runXapi(['machines'], proxied())).out).toContain(VISIBLE_ESCAPES);
      expect(await readJson(['machines'], proxied())).toMatchObject([{ name: ESCAPES }]);
    });

    it('is visible for people as the URL of a webhook, and its description untouched in JSON', async () => {
      const url = 'http://127.0.0.1:9/hook';
      const data = await readJson(['webhooks', 'create', url, '--description', 'Deployments'], env);
      expect(data).toMatchObject({ url, description: 'Deployments' });
      const page = answer({ data: [{ ...data, url: ESCAPES, description: ESCAPES }], nextCursor: null });
      proxy.faults = [page, page];
      const { out } = await runXapi(['webhooks'], proxied());
      expect(out).toContain(VISIBLE_ESCAPES);
      // oxlint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(await readJson(['webhooks'], proxied())).toMatchObject([{ url: ESCAPES, description: ESCAPES }]);
      await xapi('webhooks', 'delete', data.id);
    });
  });
});
