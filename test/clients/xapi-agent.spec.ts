import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApprovalFixture } from '../support/approval-fixture';
import { readJson, runOnTerminal, runXapi, XapiProcess, type XapiEnv } from '../support/clients/xapi';
import { itWith } from '../support/dependencies';
import { expectStatus } from '../support/device/foreign-device';
import type { MachineProcess } from '../support/machine-process';
import { createScratchFolder } from '../support/scratch-folder';
import { waitFor } from '../support/wait-for';

const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
];
const onTerminal = itWith('script');

describe('xapi with an agent', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  let env: XapiEnv;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    machine = await fixture.startMachine('--name', 'build-1');
    const { token } = await fixture.ada.createToken(SCOPES);
    env = { XAPI_HOST: fixture.service.url, XAPI_TOKEN: token, XDG_CONFIG_HOME: createScratchFolder() };
  });
  afterAll(() => fixture?.stop());
  beforeEach(async () => {
    sessionId = await fixture.startSession(machine);
  });

  /** A machine has a limited number of sessions. */
  const end = (id: string) => fixture.post(`/sessions/${id}/end`);
  afterEach(() => end(sessionId));

  const xapi = (...args: string[]) => runXapi(args, env);
  const countTurns = async () => ((await fixture.get(`/sessions/${sessionId}/turns`)) as unknown[]).length;
  const waitForTurns = (count: number) => waitFor(async () => expect(await countTurns()).toBe(count), 15_000);

  it('starts a session on a machine by its name, and prints its ID', async () => {
    const { code, out } = await xapi('start', 'BUILD-1', '--agent', 'test', '--cwd', fixture.folder);
    expect(code).toBe(0);
    expect(out).toMatch(/^ses_\w{26}\n$/);
    expect((await readJson(['sessions', 'show', out.trim()], env)).agent).toMatchObject({ name: 'test' });
    const unknown = await xapi('start', 'biuld-1');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('There is no machine "biuld-1". Did you mean "build-1"?');
  });

  it('starts a session with its first message, from an argument or standard input', async () => {
    const started = await readJson(['start', 'build-1', 'say Hello.'], env);
    expect(started).toMatchObject({
      sessionId: expect.stringMatching(/^ses_/),
      turnId: expect.stringMatching(/^turn_/),
    });
    // The device has shared the session with the token.
    expect(started.grantId).toMatch(/^grt_/);
    expect(await xapi('wait', started.sessionId as string)).toMatchObject({ code: 0, out: 'Hello.\n' });
    const piped = await runXapi(['start', 'build-1', '-'], env, 'say From a pipe.');
    expect((await xapi('wait', piped.out.trim())).code).toBe(0);
    expect(await runXapi(['start', 'build-1', '-'], env, ' \n')).toMatchObject({ code: 2, out: '' });
    for (const id of [started.sessionId as string, piped.out.trim()]) await end(id);
  });

  it('sends files with messages and starts, and refuses those that the service would refuse', async () => {
    const folder = createScratchFolder();
    const [notes, large] = ['notes.txt', 'large.bin'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(notes, 'notes');
    writeFileSync(large, Buffer.alloc(716_796));
    const reads = /^Read:You said: Attached file: \/.*\/1-notes\.txt\n$/;
    expect((await xapi('send', sessionId, 'say Read:', '--file', notes, '--wait')).out).toMatch(reads);
    const started = await readJson(['start', 'build-1', 'say Read:', '--file', notes, '--wait'], env);
    expect(`${started.reply as string}\n`).toMatch(reads);
    await end(started.sessionId as string);
    const turns = await countTurns();
    const refused = [[join(folder, 'missing')], [folder], [notes, large], Array.from({ length: 9 }, () => notes)];
    for (const files of refused) {
      const options = files.flatMap((file) => ['--file', file]);
      expect(await xapi('send', sessionId, 'say no', ...options)).toMatchObject({ code: 2, out: '' });
    }
    expect(await xapi('start', 'build-1', '--file', notes)).toMatchObject({ code: 2, out: '' });
    expect(await countTurns()).toBe(turns);
  });

  it('starts, waits, approves, sends and reads with one token, without a grant by anybody else', async () => {
    const started = await xapi('start', 'build-1', 'edit started.txt written', '--wait');
    expect({ code: started.code, out: started.out }).toEqual({ code: 3, out: '' });
    const id = /Session (ses_\w{26})/.exec(started.err)![1]!;
    expect(started.err).toContain(`xapi approve ${id}`);
    expect(await xapi('approve', id, '--allow')).toMatchObject({ code: 0, err: expect.stringContaining('xapi wait') });
    expect(await xapi('wait', id)).toMatchObject({ code: 0, out: 'I have changed started.txt.\n' });
    expect(await xapi('send', id, 'say Again.', '--wait')).toMatchObject({ code: 0, out: 'Again.\n', err: '' });
    expect((await xapi('sessions', 'messages', id)).out).toContain('edit started.txt written');
    await xapi('send', id, 'edit rejected.txt written', '--wait');
    expect(await xapi('approve', id, '--reject')).toMatchObject({ code: 0, out: expect.stringContaining('Rejected.') });
    await xapi('wait', id);
    expect([fixture.hasFile('started.txt'), fixture.hasFile('rejected.txt')]).toEqual([true, false]);
    await xapi('send', id, 'edit redirected.txt written', '--wait');
    const [redirected] = await readJson(['approve', id, '--reject', '--message', 'say Another file.'], env);
    expect(redirected).toMatchObject({ state: 'rejected', nextTurnId: expect.stringMatching(/^turn_/) });
    expect(await xapi('wait', id, redirected.nextTurnId)).toMatchObject({ code: 0, out: 'Another file.\n' });
    expect(fixture.hasFile('redirected.txt')).toBe(false);
    await end(id);
  });

  it('shows titles, the context, and what turns used and cost', async () => {
    const started = await readJson(['start', 'build-1', 'context 48200 200000 0.0425\nsay Done.', '--wait'], env);
    const id = started.sessionId as string;
    const row = new RegExp(`^${id}  idle +context 48200 .* 24% of 200,000 tokens$`, 'm');
    expect((await xapi('sessions')).out).toMatch(row);
    const listed = (await readJson(['sessions'], env)) as unknown as { id: string; title: string }[];
    expect(listed.find((session) => session.id === id)?.title).toBe('context 48200 200000 0.0425');
    const { out } = await xapi('sessions', 'show', id);
    expect(out).toMatch(/^Title +context 48200 200000 0\.0425$/m);
    expect(out).toMatch(/^Context +24% of 200,000 tokens$/m);
    expect(out).toMatch(/^turn_\w{26} +completed .* message .* \d+ in, 7 out +0\.0425 USD$/m);
    await end(id);
  });

  it('starts and waits for the end of the turn, and tells how to go on when the time is up', async () => {
    const answer = await readJson(['start', 'build-1', 'wait 300\nsay Later.', '--wait'], env);
    expect(answer).toMatchObject({ state: 'completed', reply: 'Later.', machineId: machine.id });
    expect(answer.grantId).toMatch(/^grt_/);
    const failed = await xapi('start', 'build-1', 'fail -32603', '--wait');
    expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The turn failed.') });
    const late = await xapi('start', 'build-1', 'wait-for never.txt', '--wait', '--timeout', '1s');
    expect(late).toMatchObject({ code: 124, out: '', err: expect.stringMatching(/xapi wait ses_\w{26} turn_/) });
    const [, id] = /Session (ses_\w{26})/.exec(late.err)!;
    expect(await xapi('start', 'build-1', '--wait')).toMatchObject({ code: 2, out: '' });
    const others = [answer.sessionId as string, /Session (ses_\w{26})/.exec(failed.err)![1]!, id!];
    for (const session of others) await end(session);
  });

  it('shares no session if the user, the token or the owner of the machine does not want it', async () => {
    await fixture.startMachine('--name', 'wary', '--no-grants');
    const refused = await xapi('start', 'wary', 'say Hello.', '--wait');
    expect(refused).toMatchObject({ code: 0, out: '' });
    expect(refused.err).toContain('The owner of the machine has turned off key grants.');
    const { token } = await fixture.ada.createToken(['sessions:read', 'machines:read', 'machines:invoke']);
    const own = await runXapi(['start', 'build-1', '--json'], { ...env, XAPI_TOKEN: token });
    const unasked = await readJson(['start', 'build-1', '--no-grant'], env);
    for (const { sessionId: id, grantId } of [JSON.parse(own.out) as Record<string, string>, unasked]) {
      expect(grantId).toBeNull();
      await end(id as string);
    }
  });

  it('sends a message from standard input, and prints what the agent says', async () => {
    const { code, out, err } = await runXapi(['send', sessionId, '-', '--wait'], env, 'say All tests pass.');
    expect({ code, out, err }).toEqual({ code: 0, out: 'All tests pass.\n', err: '' });
    const answer = await readJson(['send', sessionId, 'say Again.', '--wait'], env);
    expect(answer).toMatchObject({ sessionId, state: 'completed', reply: 'Again.', turn: { state: 'completed' } });
    const messages = await xapi('sessions', 'messages', sessionId);
    expect(messages.out).toMatch(/^user #1, .+\nsay All tests pass\.\n\nassistant #2, .+\nAll tests pass\.\n/);
  });

  it('exits with 1 after a turn that failed, and says why', async () => {
    const { code, out, err } = await xapi('send', sessionId, 'fail -32603', '--wait');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe('The turn failed. The agent reported an error.\n');
  });

  it('exits with 3 if the agent asks, and goes on after approve', async () => {
    const sent = await xapi('send', sessionId, 'edit notes.txt written', '--wait');
    expect({ code: sent.code, out: sent.out }).toEqual({ code: 3, out: '' });
    expect(sent.err).toContain(`xapi approve ${sessionId}`);
    const refused = await xapi('approve', sessionId);
    expect(refused).toMatchObject({ code: 2 });
    const [request] = await readJson(['api', `/sessions/${sessionId}/permission-requests`], env).then(
      (page) => page.data as { id: string }[],
    );
    const { code, out } = await xapi('approve', request!.id, '--allow');
    expect(code).toBe(0);
    expect(out).toContain('Edit notes.txt');
    expect(out).toContain('+written');
    expect(out).toMatch(/\nAllowed\.\n$/);
    expect(await xapi('wait', sessionId)).toMatchObject({ code: 0, out: 'I have changed notes.txt.\n' });
    expect(fixture.hasFile('notes.txt')).toBe(true);
    const late = await xapi('approve', sessionId, '--yes');
    expect(late).toMatchObject({ code: 1 });
  });

  onTerminal.each([
    ['y\n', 0, 'Allowed.', true],
    ['n\n', 0, 'Rejected.', false],
    ['\x03', 130, 'Allow it?', false],
  ])('asks on a terminal before it decides: %j', async (input, expected, message, isWritten) => {
    const file = `answer-${expected}-${isWritten}.txt`;
    await fixture.askToWrite(sessionId, file);
    const { code, text } = await runOnTerminal(`xapi approve ${sessionId}`, env, { prompt: '[y/n]', input });
    expect(text).toContain(message);
    expect(code).toBe(expected);
    if (code === 0) await xapi('wait', sessionId);
    expect(fixture.hasFile(file)).toBe(isWritten);
  });

  it('shows what the agent offers, and chooses it for the next turn', async () => {
    expect(await xapi('options', sessionId)).toMatchObject({ code: 0, out: expect.stringMatching(/^mode +ask +2 /m) });
    expect((await xapi('options', sessionId, 'mode')).out).toMatch(/^auto +Change files without asking/m);
    const { options } = await readJson(['options', sessionId, '--set', 'mode=auto'], env);
    expect(options).toContainEqual(expect.objectContaining({ id: 'mode', value: 'auto' }));
    expect(await xapi('send', sessionId, 'mode', '--wait')).toMatchObject({ out: 'auto, set by the client\n' });
    const unknown = await xapi('options', sessionId, '--set', 'colour=red');
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('option_not_found') });
    expect(await xapi('options', sessionId, '--set', 'mode')).toMatchObject({ code: 2 });
    const id = (await xapi('start', 'build-1', '--set', 'mode=auto')).out.trim();
    expect(await xapi('send', id, 'mode', '--wait')).toMatchObject({ out: 'auto, set by the client\n' });
    await end(id);
  });

  it('exits with 124 when the time to wait is over, and the turn goes on', async () => {
    await xapi('send', sessionId, 'wait-for later.txt');
    const { code, err } = await xapi('wait', sessionId, '--timeout', '1s');
    expect(code).toBe(124);
    expect(err).toContain(`xapi wait ${sessionId} turn_`);
    expect(await xapi('cancel', sessionId)).toMatchObject({ code: 0, err: '' });
    const cancelled = await xapi('wait', sessionId);
    expect(cancelled).toMatchObject({ code: 1, out: '' });
  });

  it('exits with 4 if no device has the message, and says that nothing ran', async () => {
    const away = await fixture.startMachine('--name', 'away');
    const session = await fixture.startSession(away);
    await away.stop();
    await waitFor(async () => expect(await readJson(['machines', '--state', 'offline'], env)).toHaveLength(1), 15_000);
    const commands = [
      ['send', session, 'hello', '--wait'],
      ['start', 'away'],
    ];
    const exits = await Promise.all(commands.map((args) => xapi(...args, '--verbose')));
    for (const { code, out, err } of exits) {
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toMatch(/^error: No device .+ is online\..+\n.+xapi machines.+--retry-for 5m\n$/m);
      // A device that connects again is back within a few seconds.
      expect(err.match(/ {2}503 {2}/g)!.length).toBeGreaterThan(1);
    }
    const asked = await xapi('send', session, 'hello', '--retry-for', '1s', '--verbose');
    expect(asked).toMatchObject({ code: 4, err: expect.stringMatching(/^POST .+ 503 .+\nerror: /) });
  });

  it('exits with 5 if nobody knows whether the message arrived, and says how to learn it', async () => {
    const sleeping = await fixture.startMachine('--name', 'sleeping');
    const session = await fixture.startSession(sleeping);
    const process = new XapiProcess(['send', session, 'hello', '--retry-for', '1s', '--idempotency-key', 'k-5'], env);
    sleeping.fallAsleep();
    const { code, err } = await process.exited;
    await sleeping.stop('SIGKILL');
    expect(code).toBe(5);
    expect(err).toContain('--idempotency-key k-5');
  });

  it('sends a message once if it is killed and called again with the same key', async () => {
    const args = ['send', sessionId, 'wait-for go.txt\nsay Done.', '--wait', '--idempotency-key', 'deploy-7'];
    const first = new XapiProcess(args, env);
    await waitForTurns(1);
    first.child.kill('SIGKILL');
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL', out: '' });
    const second = new XapiProcess(args, env);
    await sleep(500);
    expect(
      expectStatus(
        await fixture.post(`/sessions/${await fixture.startSession(machine)}/messages`, { content: 'create go.txt' }),
        200,
      ),
    ).toBeTruthy();
    expect(await second.exited).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(await countTurns()).toBe(1);
  });

  it('tells after Ctrl-C how to go on waiting, and exits with 130', async () => {
    const process = new XapiProcess(
      ['send', sessionId, 'wait-for never.txt', '--wait', '--idempotency-key', 'k-9'],
      env,
    );
    await waitForTurns(1);
    process.child.kill('SIGINT');
    const { code, out, err } = await process.exited;
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain('Interrupted.');
    expect(err).toContain('--idempotency-key k-9');
    await waitForTurns(1);
    const [turn] = (await fixture.get(`/sessions/${sessionId}/turns`)) as { id: string }[];
    await fixture.waitForTurn(sessionId, turn!.id, 'running', 15_000);
    await xapi('cancel', sessionId);
  });

  it('ends a session', async () => {
    expect(await xapi('end', sessionId)).toMatchObject({ code: 0, out: 'The session has ended.\n', err: '' });
    const { code, err } = await xapi('send', sessionId, 'hello');
    expect(code).toBe(1);
    expect(err).toContain('The session has ended.');
  });
});
