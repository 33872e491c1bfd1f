import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expectStatus } from '../support/device/foreign-device';
import { createTerminalSession } from '../support/terminal-session';
import { waitFor } from '../support/wait-for';
import { IntegrationFixture } from './support/integration-fixture';
import { buildMcpServer, MCP_SERVER, MCP_TOOLS, McpHost } from './support/mcp';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'machines:read', 'machines:invoke'];
const CALM = { protocolErrors: [], errors: '' };

beforeAll(() => buildMcpServer());

describe('the MCP server', () => {
  let fixture: IntegrationFixture;
  let host: McpHost;
  let machineId: string;
  const extraHosts: McpHost[] = [];

  beforeAll(async () => {
    fixture = await IntegrationFixture.start();
    machineId = fixture.machine.id;
    host = await McpHost.start(fixture.url, (await fixture.ada.createToken(SCOPES)).token);
  });
  afterAll(async () => {
    for (const one of [host, ...extraHosts]) await one?.stop();
    await fixture?.stop();
  });

  async function startHost(scopes: string[]): Promise<McpHost> {
    const started = await McpHost.start(fixture.url, (await fixture.ada.createToken(scopes)).token);
    extraHosts.push(started);
    return started;
  }

  it('offers nine tools, marks those that act, and has none that approves', async () => {
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(MCP_TOOLS);
    const isDestructive = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations?.destructiveHint]));
    expect(isDestructive).toMatchObject({ run_command: true, send_message: true, start_session: false });
    const readOnly = tools.filter((tool) => tool.annotations?.readOnlyHint).map(({ name }) => name);
    const reading = ['list_agent_sessions', 'list_machines', 'list_sessions', 'read_session', 'read_session_options'];
    expect(readOnly.sort()).toEqual(reading);
    for (const tool of tools) expect(tool.outputSchema).toMatchObject({ type: 'object' });
  });

  it.each([
    [['sessions:read'], ['list_sessions', 'read_session', 'read_session_options']],
    [['machines:read'], ['list_machines']],
    [
      ['sessions:approve', 'sessions:content', 'sessions:read', 'sessions:write'],
      ['change_session_options', 'list_sessions', 'read_session', 'read_session_options', 'send_message'],
    ],
  ])('offers a token with %j only the tools %j', async (scopes, tools) => {
    expect(await (await startHost(scopes)).listToolNames()).toEqual(tools);
  });

  it('lists the sessions of the terminal, and continues a copy of one', async () => {
    createTerminalSession(fixture.agentFolder, 'session-a', fixture.folder, ['say one']);
    const machineId = fixture.machine.id;
    const listed = await host.call('list_agent_sessions', { machineId, agent: 'test' });
    const own = listed.structuredContent.sessions.find((each: any) => each.agentSessionId === 'session-a');
    expect(own).toMatchObject({ title: 'say one', canFork: true, sessionId: null });
    const { structuredContent } = await host.call('start_session', { machineId, resume: 'session-a', fork: true });
    const sent = await host.call('send_message', { sessionId: structuredContent.sessionId, text: 'memory' });
    expect(JSON.stringify(sent.structuredContent)).toContain('say one');
  });

  it('lists machines, starts a session there, and lists it', async () => {
    const { structuredContent, content } = await host.call('list_machines', { state: 'online' });
    expect(structuredContent.machines).toMatchObject([{ id: machineId, state: 'online', agents: [{ name: 'test' }] }]);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    const started = (await host.call('start_session', { machineId, agent: 'test' })).structuredContent;
    const listed = (await host.call('list_sessions', { state: 'active', machineId, limit: 1 })).structuredContent;
    expect(listed).toMatchObject({ sessions: [{ id: started.sessionId, activity: 'idle' }], hasMore: true });
  });

  it('reads the sessions that it has started, unless its token may not', async () => {
    const start = async (from: McpHost) => (await from.call('start_session', { machineId })).structuredContent;
    const { sessionId, isReadable } = await start(host);
    expect(isReadable).toBe(true);
    const sent = await host.call('send_message', { sessionId, text: 'say hello' });
    expect(sent.structuredContent).toMatchObject({ state: 'completed', reply: 'hello', advice: null });
    const read = (await host.call('read_session', { sessionId })).structuredContent;
    expect(read.messages).toMatchObject([{ text: 'say hello' }, { text: 'hello' }]);
    await waitFor(async () => {
      const { sessions } = (await host.call('list_sessions', { limit: 1 })).structuredContent;
      expect(sessions).toMatchObject([{ id: sessionId, title: 'say hello' }]);
    });
    for (const scope of ['machines:read', 'sessions:content']) {
      const blind = await startHost([scope, 'machines:invoke']);
      expect(await start(blind)).toMatchObject({ isReadable: false });
    }
  });

  it('sends files with a message', async () => {
    const sessionId = await fixture.startSession();
    const attachments = [{ name: 'notes.txt', data: Buffer.from('notes').toString('base64') }];
    const sent = await host.call('send_message', { sessionId, text: 'say Read:', attachments });
    expect(sent.structuredContent.reply).toMatch(/Attached file: \/.*\/1-notes\.txt$/);
  });

  it('sends a message, waits for its turn, and reads the session', async () => {
    const sessionId = await fixture.startSession();
    const sent = await host.call('send_message', { sessionId, text: 'say hello' });
    expect(sent.structuredContent).toMatchObject({ state: 'completed', reply: 'hello', advice: null });
    const read = (await host.call('read_session', { sessionId })).structuredContent;
    expect(read.session).toMatchObject({ id: sessionId, state: 'active' });
    const turn = { id: sent.structuredContent.turnId, origin: 'message', usage: { outputTokens: 7 }, cost: null };
    expect(read.turns).toMatchObject([turn]);
    expect(read.messages).toMatchObject([
      { role: 'user', text: 'say hello', noText: null },
      { role: 'assistant', text: 'hello', turnId: sent.structuredContent.turnId },
    ]);
    expect(read.hasMore).toBe(false);
    const latest = (await host.call('read_session', { sessionId, limit: 1 })).structuredContent;
    expect(latest).toMatchObject({ messages: [{ role: 'assistant' }], hasMore: true });
    const earlier = { sessionId, limit: 1, beforeSeq: latest.messages[0].seq };
    expect((await host.call('read_session', earlier)).structuredContent).toMatchObject({
      messages: [{ role: 'user' }],
      hasMore: false,
    });
  });

  it('shows and changes the options of an agent, and interrupts its turn', async () => {
    const sessionId = await fixture.startSession();
    const read = (await host.call('read_session_options', { sessionId })).structuredContent;
    expect(read.options).toContainEqual(expect.objectContaining({ id: 'mode', value: 'ask', omittedValues: 0 }));
    const changed = await host.call('change_session_options', { sessionId, values: { mode: 'auto' } });
    expect(changed.structuredContent.options).toContainEqual(expect.objectContaining({ id: 'mode', value: 'auto' }));
    await host.call('send_message', { sessionId, text: 'silent', waitSeconds: 0 });
    const sent = await host.call('send_message', { sessionId, text: 'mode', ifBusy: 'interrupt' });
    expect(sent.structuredContent).toMatchObject({ state: 'completed', reply: 'auto, set by the client' });
  });

  it('reports progress of a long turn, and reads the reply that came after the response', async () => {
    const sessionId = await fixture.startSession();
    const states: string[] = [];
    const onprogress = ({ message }: { message?: string }) => void states.push(message!);
    const text = 'say First.\nslow-tool 4000\nsay Then.';
    const { structuredContent } = await host.call('send_message', { sessionId, text }, { onprogress });
    expect(structuredContent).toMatchObject({ state: 'completed', reply: 'First.\n\nThen.' });
    expect(states[0]).toBe('sending');
    expect(states).toContain('running');
  });

  it('returns an open turn when the time is up, and one that waits for a person, with advice', async () => {
    const sessionId = await fixture.startSession();
    const asked = await host.call('send_message', { sessionId, text: 'edit unapproved.txt text' });
    expect(asked.structuredContent).toMatchObject({ state: 'requires_action', reply: null });
    expect(asked.structuredContent.advice).toContain('Ask the user to decide in the console');
    expect(fixture.hasFile('unapproved.txt')).toBe(false);
    const queued = await host.call('send_message', { sessionId, text: 'say later', waitSeconds: 1 });
    expect(queued.structuredContent).toMatchObject({ state: 'queued', reply: null });
    expect(queued.structuredContent.advice).toContain('read_session');
  });

  it('shows a question, which no tool answers', async () => {
    const sessionId = await fixture.startSession();
    const asked = (await host.call('send_message', { sessionId, text: 'question' })).structuredContent;
    expect(asked).toMatchObject({
      state: 'requires_action',
      advice: expect.stringContaining('answer it in the console'),
    });
    const question = {
      id: expect.stringMatching(/^perm_/),
      title: 'Choose a database',
      message: 'Which database shall I use?',
      fields: [
        { name: 'database', title: 'Database', choices: ['PostgreSQL', 'SQLite'] },
        { name: 'port', title: 'Port', choices: [] },
        { name: 'tests', title: 'Write tests', choices: [] },
      ],
    };
    expect(asked.questions).toEqual([question]);
    const read = (await host.call('read_session', { sessionId })).structuredContent;
    expect(read.questions).toEqual([question]);
  });

  it('says how to share a session whose texts it cannot read', async () => {
    const { sessionId } = (await fixture.post(`/machines/${machineId}/sessions`, {})).result;
    const sent = await host.call('send_message', { sessionId, text: 'wait 3500\nsay secret' });
    expect(sent.structuredContent).toMatchObject({ state: 'completed', reply: null });
    expect(sent.structuredContent.advice).toMatch(new RegExp(`share session ${sessionId} with token tok_`));
    const { session, messages } = (await host.call('read_session', { sessionId })).structuredContent;
    expect(session.title).toBeNull();
    expect(messages).toMatchObject(Array(2).fill({ text: null, noText: 'no_content_grant' }));
  });

  it('runs a command without a shell, and returns its exit code and the end of its output', async () => {
    const args = ['-c', 'head -c 30000 /dev/zero | tr "\\0" a; echo end; echo "$1" >&2; exit 3', 'sh', '$(touch y)'];
    const { structuredContent } = await host.call('run_command', { machineId, command: 'sh', args });
    expect(structuredContent).toMatchObject({ state: 'completed', exitCode: 3, stderr: '$(touch y)\n' });
    expect(structuredContent.stdout).toMatch(/^a{19996}end\n$/);
    expect(structuredContent).toMatchObject({ stdoutOmittedBytes: 10_004, stderrOmittedBytes: 0 });
    expect(fixture.hasFile('y')).toBe(false);
    const slow = await host.call('run_command', { machineId, command: 'sleep', args: ['60'], timeoutSeconds: 1 });
    expect(slow.structuredContent).toMatchObject({ state: 'timed_out' });
  });

  it('returns errors as results with the code of the API and advice', async () => {
    const missing = await host.call('run_command', { machineId, command: 'no-such-command' });
    expect(missing.isError).toBe(true);
    expect(missing.content[0].text).toMatch(/^device_error: .* The device answered command_not_found: .*\(req_\w+\)$/);
    const unknown = await host.call('read_session', { sessionId: 'ses_unknown' });
    expect(unknown.content[0].text).toMatch(/^not_found: .* List the records to find a valid ID\.$/);
    const invalid = await host.call('run_command', { machineId, command: 'true', shell: true, timeoutSeconds: 0 });
    expect(invalid.isError).toBe(true);
    expect(invalid.content[0].text).toContain('timeoutSeconds');
  });

  it('says that a token is limited to other machines, and that nothing ran', async () => {
    const device = await fixture.ada.pairDevice('machine');
    const body = { name: 'other', platform: 'linux' };
    const { data } = expectStatus(await fixture.ada.http.post('/v1/machines', device.token, body), 201);
    const { token } = await fixture.ada.createToken(SCOPES, { machineIds: [data.id] });
    const limited = await McpHost.start(fixture.url, token);
    extraHosts.push(limited);
    const refused = await limited.call('run_command', { machineId, command: 'touch', args: ['x'] });
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toMatch(/^machine_not_allowed: .*\(req_\w+\) Nothing ran\. .*for this machine\.$/);
    expect(fixture.hasFile('x')).toBe(false);
  });

  it('reports a token that was revoked while it runs', async () => {
    const { id, token } = await fixture.ada.createToken(['sessions:read']);
    const revoked = await McpHost.start(fixture.url, token);
    extraHosts.push(revoked);
    const path = `/v1/account/external-tokens/${id}`;
    expectStatus(await fixture.ada.http.delete(path, fixture.ada.token), 204);
    const result = await waitFor(async () => {
      const found = await revoked.call('list_sessions', {});
      expect(found.isError).toBe(true);
      return found;
    });
    expect(result.content[0].text).toMatch(/^invalid_token: .*Ask the user for a new token/);
    expect(JSON.stringify(result) + revoked.errors).not.toContain(token);
  });

  it('cancels the command and the turn of a cancelled call', async () => {
    const sessionId = await fixture.startSession();
    const open = {
      commands: `/machines/${machineId}/invocations?state=running`,
      turns: `/sessions/${sessionId}/turns?state=running`,
    };
    const calls: Record<'commands' | 'turns', [tool: string, args: object]> = {
      commands: ['run_command', { machineId, command: 'sleep', args: ['62'], timeoutSeconds: 120 }],
      turns: ['send_message', { sessionId, text: 'silent', waitSeconds: 300 }],
    };
    for (const kind of ['commands', 'turns'] as const) {
      const controller = new AbortController();
      const pending = host.call(...calls[kind], { signal: controller.signal });
      await waitFor(async () => expect(await fixture.list(open[kind])).toHaveLength(1), 10_000);
      controller.abort();
      await expect(pending).rejects.toThrow();
      await waitFor(async () => expect(await fixture.list(open[kind])).toEqual([]), 20_000);
    }
    expect(await fixture.list(`/sessions/${sessionId}/turns`)).toMatchObject([{ state: 'cancelled' }]);
  });

  it('cancels a running command when its host closes it', async () => {
    const closing = await startHost(['machines:invoke']);
    const pending = closing.call('run_command', { machineId, command: 'sleep', args: ['63'], timeoutSeconds: 120 });
    const listOpen = () => fixture.list(`/machines/${machineId}/invocations?state=running`);
    await waitFor(async () => expect(await listOpen()).toHaveLength(1), 10_000);
    await Promise.all([expect(pending).rejects.toThrow(), closing.stop()]);
    await waitFor(async () => expect(await listOpen()).toEqual([]), 10_000);
    expect(closing.errors).toBe('');
  });

  it('writes nothing but the protocol to its standard output, and no errors', () => {
    for (const { protocolErrors, errors } of [host, ...extraHosts]) expect({ protocolErrors, errors }).toEqual(CALM);
  });

  it.each([
    ['without a token', [], { XAPI_TOKEN: '' }, 2, 'Set XAPI_HOST to the URL of the service, and XAPI_TOKEN'],
    ['with a token as an argument', ['svc_pat_x'], {}, 2, 'The server has no arguments.'],
    ['with a token that is not valid', [], { XAPI_TOKEN: 'svc_pat_wrong' }, 1, 'token'],
  ])('refuses to start %s, and writes only to standard error', async (_, args, change, code, message) => {
    const env = { PATH: process.env.PATH, XAPI_HOST: fixture.url, XAPI_TOKEN: fixture.token, ...change };
    const child = spawn(process.execPath, [MCP_SERVER, ...args], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect((await once(child, 'close'))[0]).toBe(code);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('svc_pat_');
  });
});
