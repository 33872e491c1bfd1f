import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentSessionSummary } from '@external-api/protocol';
import { AgentConnection } from '../agent/agent-connection';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { MemoryKeyStore } from '../index';
import { createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { createListRequest, readList, TerminalSessions } from '../testing/terminal-sessions';

let terminal: TerminalSessions;
let served: ServedMachine | undefined;
const store = () => new MemoryKeyStore();

beforeAll(() => buildTestAgent(), 120_000);
afterEach(async () => {
  jest.restoreAllMocks();
  await served?.stop();
  served = undefined;
  terminal.remove();
});

async function serve(agentOptions?: string, commands = [createTestAgentCommand()], maxProcesses = 4) {
  terminal = new TerminalSessions(agentOptions);
  const provider = new AgentProcessPool({ maxProcesses });
  served = await ServedMachine.start({ cwd: terminal.folder, store: store(), agents: { commands, provider } });
  return served;
}

const callDevice = (request: object) => served!.service.callDevice(request);
const listSessions = async (params: object = {}) => readList(await callDevice(createListRequest(params)));
const getIds = (sessions: AgentSessionSummary[]) => sessions.map(({ agentSessionId }) => agentSessionId);

/** Returns the pages up to the last one. */
async function listPages(params: object): Promise<AgentSessionSummary[][]> {
  const pages: AgentSessionSummary[][] = [];
  for (let cursor: string | null = null; pages.length === 0 || cursor !== null;) {
    const { sessions, nextCursor } = await listSessions({ ...params, cursor });
    pages.push(sessions);
    cursor = nextCursor;
  }
  return pages;
}

describe('the sessions of an agent', () => {
  it('are listed with title, folder and time, also those that nobody continues', async () => {
    await serve();
    terminal.addSession('session-a', ['Fix the test\nplease']);
    expect(await listSessions()).toEqual({
      sessions: [
        {
          agent: 'test',
          agentSessionId: 'session-a',
          title: 'Fix the test',
          cwd: terminal.folder,
          updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          sessionId: null,
          canFork: true,
        },
      ],
      nextCursor: null,
      problems: [],
    });
  }, 30_000);

  it('are listed without those whose folder is not allowed or gone, by links too', async () => {
    await serve();
    const outside = terminal.createFolder('outside');
    const gone = terminal.createFolder('home/gone');
    symlinkSync(outside, join(terminal.folder, 'link'));
    terminal.addSession('session-inside', ['in'], terminal.createFolder('home/app'));
    terminal.addSession('session-outside', ['out'], outside);
    terminal.addSession('session-linked', ['out'], join(terminal.folder, 'link'));
    terminal.addSession('session-gone', ['gone'], gone);
    rmSync(gone, { recursive: true });
    expect(getIds((await listSessions()).sessions)).toEqual(['session-inside']);
  }, 30_000);

  it('are those of one folder if the caller names it', async () => {
    await serve();
    const app = terminal.createFolder('home/app');
    terminal.addSession('session-app', ['app'], app);
    terminal.addSession('session-home', ['home']);
    expect(getIds((await listSessions({ cwd: 'app' })).sessions)).toEqual(['session-app']);
    expect(await callDevice(createListRequest({ cwd: '/' }))).toMatchObject({ error: { code: 'cwd_not_allowed' } });
  }, 30_000);

  it('come in pages of any size, each session once', async () => {
    await serve();
    const ids = ['1', '2', '3', '4', '5'].map((name) => `session-${name}`);
    for (const id of ids) terminal.addSession(id, ['hello']);
    for (const limit of [1, 2, 3, 5, 100]) {
      const pages = await listPages({ limit });
      expect(getIds(pages.flat())).toEqual(ids);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    }
  }, 60_000);

  it('name the session that continues one', async () => {
    await serve();
    terminal.addSession('session-a', ['say hello']);
    expect(await callDevice(createStartRequest({ resume: 'session-a' }))).toMatchObject({ ok: true });
    expect((await listSessions()).sessions).toMatchObject([{ agentSessionId: 'session-a', sessionId: 'ses_2' }]);
  }, 30_000);

  it('come from one agent after the other, with what is wrong with the others', async () => {
    const missing = { ...createTestAgentCommand(), name: 'missing', command: ['no-such-program'] };
    await serve('orderly-replay', [createTestAgentCommand(), missing, createTestAgentCommand({ name: 'second' })]);
    terminal.addSession('session-a', ['hello']);
    const { sessions, problems, nextCursor } = await listSessions();
    expect(sessions.map(({ agent }) => agent)).toEqual(['test', 'second']);
    expect(problems).toEqual([{ agent: 'missing', code: 'agent_not_found', message: expect.any(String) }]);
    expect(nextCursor).toBeNull();
    expect((await listPages({ limit: 1 })).flat().map(({ agent }) => agent)).toEqual(['test', 'second']);
    expect(await callDevice(createListRequest({ agent: 'missing' }))).toMatchObject({
      error: { code: 'agent_not_found' },
    });
  }, 60_000);

  it.each([
    ['is unknown', { agent: 'unknown' }, 'agent_not_found'],
    ['a cursor is not one', { cursor: 'not-a-cursor' }, 'invalid_cursor'],
    [
      'a cursor is that of another agent',
      { cursor: Buffer.from('{"agent":"other","cursor":null,"offset":0,"page":0}').toString('base64url') },
      'invalid_cursor',
    ],
  ])(
    'are refused if the agent or %s',
    async (_, params, code) => {
      await serve();
      expect(await callDevice(createListRequest(params))).toMatchObject({ ok: false, error: { code } });
    },
    30_000,
  );

  it('take a place of an agent, and free it for others', async () => {
    await serve('orderly-replay', [createTestAgentCommand()], 1);
    terminal.addSession('session-a', ['say hello']);
    expect(getIds((await listSessions()).sessions)).toEqual(['session-a']);
    const silent = createStartRequest({ content: 'silent', waitMs: 0 });
    expect(await callDevice(silent)).toMatchObject({ ok: true });
    await waitUntil(() => served!.service.agents.turns.get(silent.requestId)?.state === 'running');
    expect(await callDevice(createListRequest({ agent: 'test' }))).toMatchObject({ error: { code: 'busy' } });
  }, 60_000);
});

describe('an agent that lies in its list', () => {
  it('gets one line as a title, and no entry that is not a session', async () => {
    await serve('lying-list');
    const { sessions } = await listSessions({ limit: 3 });
    const updatedAt = '2026-11-28T08:12:44.000Z';
    expect(sessions).toMatchObject([
      { agentSessionId: 'session-0', title: 'Page 0', updatedAt },
      { agentSessionId: 'titled-0', updatedAt: null },
      { agentSessionId: 'untitled-0', title: null, updatedAt: null },
    ]);
    const { title } = sessions[1]!;
    expect(title).toMatch(/^\[31mRed\\u\{202e\} long/);
    expect(title!.length).toBeLessThanOrEqual(120);
    for (const { cwd } of sessions) expect(cwd).toBe(terminal.folder);
  }, 30_000);

  it('ends its list at some time, although there is always another page', async () => {
    await serve('lying-list');
    const sessions = (await listPages({ limit: 100 })).flat();
    expect(sessions.filter(({ agentSessionId }) => agentSessionId.startsWith('session-'))).toHaveLength(200);
  }, 60_000);

  it('is asked for no further page when the time of a start is over', async () => {
    await serve();
    const list = jest.spyOn(AgentConnection.prototype, 'listSessions').mockImplementation(async (_folder, cursor) => {
      await sleep(100);
      return { sessions: [], nextCursor: `${Number(cursor) + 1}` };
    });
    const start = { ...createStartRequest({ resume: 'session-a' }), timeoutMs: 3_500 };
    expect(await callDevice(start)).toMatchObject({ ok: false, error: { code: 'busy' } });
    const pageCount = list.mock.calls.length;
    await sleep(500);
    // The start of the agent may have taken all of the time.
    expect(list.mock.calls.length).toBeLessThanOrEqual(pageCount + 1);
  }, 30_000);
});

describe('the capability agent.sessions', () => {
  const getDeclared = () => served!.service.sockets.at(-1)!.handshake.auth.capabilities as string[];

  it('is declared until no agent of the machine can list', async () => {
    await serve('no-list');
    expect(getDeclared()).toContain('agent.sessions');
    expect(await callDevice(createListRequest({ agent: 'test' }))).toMatchObject({
      error: { code: 'agent_unsupported' },
    });
    expect(await listSessions()).toMatchObject({ sessions: [], problems: [{ code: 'agent_unsupported' }] });
    expect(await callDevice(createStartRequest())).toMatchObject({ ok: true });
    await waitUntil(() => !getDeclared().includes('agent.sessions'));
    await served!.runner.stop();
    await served!.machine.startServing().then((runner) => (served!.runner = runner));
    expect(getDeclared()).not.toContain('agent.sessions');
  }, 60_000);

  it('stays declared with one agent that can', async () => {
    await serve();
    expect(await callDevice(createStartRequest())).toMatchObject({ ok: true });
    expect(getDeclared()).toContain('agent.sessions');
  }, 30_000);
});
