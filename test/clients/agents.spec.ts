import { readFileSync } from 'node:fs';
import { NODE_BINARIES, runProgram } from '../support/clients/client-package';
import { FaultProxy } from '../support/clients/fault-proxy';
import { AgentFixture } from '../support/agent-fixture';
import { extendWait } from '../support/wait-for';

describe.each(NODE_BINARIES)('agents and commands by the client with %s', (node) => {
  let fixture: AgentFixture;
  let proxy: FaultProxy;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    fixture = await AgentFixture.start('ada-of-the-client');
    proxy = await FaultProxy.start(fixture.service.url);
    const { sessionId } = (await fixture.startSession()).result;
    const { machineId } = fixture.machine.machineService.identity;
    env = { BASE_URL: `${proxy.url}/external/v1/`, TOKEN: fixture.token, SESSION: sessionId, MACHINE: machineId };
  });
  afterAll(async () => {
    await proxy?.stop();
    await fixture?.stop();
  });
  beforeEach(() => proxy.reset());

  const run = (code: string) =>
    runProgram(`const { SESSION: session, MACHINE: machine } = process.env;\n${code}`, { node, env });
  const countTurns = async () => (await fixture.get(`/sessions/${env.SESSION}/turns?limit=200`)).length;

  it('waits for the end of a turn, and returns the reply', async () => {
    const [result] = await run(`print(await client.sessions.send(session, 'say hello', { until: 'turn.ended' }));`);
    expect(result).toMatchObject({
      state: 'completed',
      reply: 'hello',
      turn: { id: result.turnId, state: 'completed' },
    });
  });

  it('sends files, and the agent finds them on its machine', async () => {
    const [sent, { problem }] = await run(`
      const bytes = new Uint8Array(20_000).fill(97);
      const attachments = [api.createAttachment('notes/größe.txt', bytes)];
      print(await client.sessions.send(session, 'say Read it.', { attachments, until: 'turn.ended' }));
      const tooLarge = [api.createAttachment('a', new Uint8Array(716_801))];
      print(await client.sessions.send(session, 'say no', { attachments: tooLarge }).catch((error) => error));`);
    const [, path] = /^Read it\.You said: Attached file: (.*)$/.exec(sent.reply)!;
    expect(path).toMatch(/\/1-größe\.txt$/);
    expect(readFileSync(path!, 'utf8')).toBe('a'.repeat(20_000));
    expect(problem.errors).toMatchObject([{ path: '/attachments', code: 'out_of_range' }]);
  });

  it('returns once the device has accepted the message, and waits for the turn afterwards', async () => {
    const [sent, turn] = await run(`
      const sent = await client.sessions.send(session, 'wait 300\\nsay later');
      print(sent);
      print(await client.sessions.getTurn(session, sent.turnId, { wait: true }));`);
    expect(sent).toMatchObject({ turn: null, reply: null });
    expect(turn).toMatchObject({ id: sent.turnId, state: 'completed' });
  });

  it('waits for a turn that the device has not reported yet', async () => {
    const [{ id }] = await fixture.get(`/sessions/${env.SESSION}/turns?limit=1`);
    const body = { code: 'not_found', status: 404, detail: 'There is no such turn.', requestId: 'req_0' };
    proxy.faults = Array.from({ length: 3 }, () => ({ status: 404, headers: { 'x-request-id': 'req_0' }, body }));
    const [turn] = await run(`print(await client.sessions.waitForTurn(session, '${id}'));`);
    expect(turn).toMatchObject({ id, state: 'completed' });
  });

  it('sends a message once and waits for its turn over lost responses', async () => {
    const before = await countTurns();
    proxy.faults = ['reset-after', 'reset-before', null, 'reset-before', 'truncate'];
    const options = `{ until: 'turn.ended', waitMs: 0, onEvent: (turn) => print(turn.state) }`;
    const lines = await run(`print(await client.sessions.send(session, 'wait 300\\nsay once', ${options}));`);
    expect(lines.at(-1)).toMatchObject({ state: 'completed' });
    expect(lines.at(-2)).toBe('completed');
    expect(await countTurns()).toBe(before + 1);
  });

  it('finds the turn of a message whose outcome stays unknown', async () => {
    const before = await countTurns();
    const { requestId } = await fixture.sendMessage(env.SESSION!, 'say found');
    const body = { code: 'timeout', status: 504, detail: 'No answer.', outcome: 'unknown', requestId };
    proxy.faults = Array.from({ length: 5 }, () => ({ status: 504, headers: { 'x-request-id': requestId }, body }));
    const [result] = await run(`print(await client.sessions.send(session, 'say found', { until: 'turn.ended' }));`);
    expect(result).toMatchObject({ turnId: requestId.replace('req_', 'turn_'), state: 'completed' });
    expect(await countTurns()).toBe(before + 1);
  });

  it('gives up after timeoutMs with the last state, while the turn goes on', async () => {
    // Several times, since timers of the call and of its wait that end at once may fire in either order.
    const starts = await Promise.all(Array.from({ length: 4 }, () => fixture.startSession()));
    const sessions = starts.map(({ result }) => result.sessionId);
    const lines = await run(`
      await Promise.all(${JSON.stringify(sessions)}.map(async (session, n) => {
        const options = { until: 'turn.ended', waitMs: 0, timeoutMs: ${extendWait(5_000)} + 500 * n };
        const error = await client.sessions.send(session, 'silent', options).catch((thrown) => thrown);
        const { state } = await client.sessions.cancelTurn(session, error.last.id);
        print([error.name, error.last.state, state]);
      }));`);
    expect(lines).toEqual(Array.from({ length: 4 }, () => ['WaitTimeoutError', 'running', 'cancelled']));
  });

  it('streams the events of a session without loss or repetition over broken connections', async () => {
    // The first connections arrive in single bytes and break, probably in the middle of an event.
    proxy.faults = [{ closeAfterBytes: 1_200 }, { closeAfterBytes: 1_200 }];
    const program = run(
      `
      const ids = [];
      const stream = client.events({ sessionId: session, types: ['turn.ended'] });
      for await (const { type, id } of stream) {
        if (type === 'stream.opened') {
          print('opened');
          const other = new ExternalApiClient({ baseUrl: process.env.HOST, token });
          (async () => {
            for (const n of [1, 2, 3, 4]) await other.sessions.send(session, 'say ' + n, { until: 'turn.ended' });
          })();
          continue;
        }
        ids.push(id);
        if (ids.length === 4) break;
      }
      print(ids);`.replace('process.env.HOST', JSON.stringify(fixture.service.url)),
    );
    const [opened, ids] = await program;
    expect(opened).toBe('opened');
    expect(new Set(ids).size).toBe(4);
    const connections = proxy.requests.filter(({ url }) => url.includes('/events'));
    expect(connections.length).toBeGreaterThanOrEqual(2);
    expect(connections[1]!.headers['last-event-id']).toMatch(/./);
  });

  it('reports a stream that a proxy buffers, instead of waiting for ever', async () => {
    proxy.lastingFault = 'buffer';
    const [error] = await run(`
      const stream = client.events({ silenceTimeoutMs: 2_000 });
      print(await stream.next().catch(describe));`);
    expect(error).toMatchObject({ code: 'connection_failed', message: expect.stringContaining('buffering') });
  });

  it('follows all output of a command and its exit code', async () => {
    const script = 'printf before; sleep 1; for i in 1 2 3; do echo $i; sleep 0.2; done; echo grün >&2; exit 3';
    const lines = await run(`
      const invocations = client.machines.invocations(machine);
      const { id } = await invocations.start({ command: 'sh', args: ['-c', ${JSON.stringify(script)}] });
      const texts = { stdout: '', stderr: '' };
      for await (const { stream, bytes } of invocations.follow(id)) texts[stream] += Buffer.from(bytes).toString();
      print(texts);
      print((await invocations.wait(id)).exitCode);
      print((await invocations.output(id, { offset: 6 })).eof);`);
    expect(lines).toEqual([{ stdout: 'before1\n2\n3\n', stderr: 'grün\n' }, 3, true]);
  });

  it('lists all pages, and reads one', async () => {
    const [all, page] = await run(`
      const all = await client.sessions.turns(session, { limit: 2 }).toArray();
      print(all.map(({ id }) => id));
      print(await client.sessions.turns(session, { limit: 2 }).page());`);
    expect(new Set(all).size).toBe(await countTurns());
    expect(page).toMatchObject({ data: [{ id: all[0] }, { id: all[1] }], nextCursor: expect.any(String) });
  });
});
