import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentConnection } from './agent-connection';
import {
  buildTestAgent,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  startTestAgent,
  stopTestAgents,
} from './testing/test-agents';

const folder = mkdtempSync(join(tmpdir(), 'agent-connection-'));
const newSession = { cwd: folder, agentSessionId: null };

beforeAll(buildTestAgent, 120_000);
beforeEach(() => {
  process.env.TEST_AGENT_FOLDER = folder;
});
afterEach(stopTestAgents);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the start of an agent', () => {
  it('returns what the agent says about itself', async () => {
    const { info } = await startTestAgent();
    expect(info).toEqual({
      name: 'test-agent',
      title: 'Test agent',
      version: '1.0.0',
      canLoadSessions: true,
      promptCapabilities: { image: false, embeddedContext: false },
      canResumeSessions: false,
      canListSessions: true,
      canForkSessions: true,
      canSteer: false,
    });
  });

  it('tells the agent what the device serves: forms and switches, but no files and no terminals', async () => {
    const file = join(folder, 'initialize.json');
    const start = startTestAgent({ command: ['sh', '-c', `head -n 1 > '${file}'`] });
    await expect(start).rejects.toMatchObject({ code: 'agent_lost' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: 1,
        clientInfo: { name: 'external-api-device' },
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          elicitation: { form: {} },
          session: { configOptions: { boolean: {} } },
          _meta: { 'qwen.askUserQuestion': true },
        },
      },
    });
  });

  it('gives the agent further blocks of a prompt, which it announces to take', async () => {
    const { connection, session } = await openTestSession({ behavior: 'images,embedded-context' });
    expect(connection.info.promptCapabilities).toEqual({ image: true, embeddedContext: true });
    const turn = new RecordedTurn();
    await session.prompt('blocks', turn, [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }]);
    expect(turn.messages).toEqual(['[{"type":"image","mimeType":"image/png","data":"AAAA"}]']);
  });

  it('fails with agent_error if the program does not exist', async () => {
    const start = startTestAgent({ command: ['no-such-agent-here'] });
    await expect(start).rejects.toMatchObject({ code: 'agent_error', cause: { code: 'command_not_found' } });
  });

  it('fails with agent_error if the working directory does not exist', async () => {
    const start = startTestAgent({ cwd: join(folder, 'missing') });
    await expect(start).rejects.toMatchObject({ code: 'agent_error', cause: { code: 'cwd_not_found' } });
  });

  it('fails with agent_lost if the program exits', async () => {
    await expect(startTestAgent({ command: ['false'] })).rejects.toMatchObject({ code: 'agent_lost' });
  });

  it('fails with agent_error if the agent speaks another version of the protocol', async () => {
    await expect(startTestAgent({ behavior: 'version-2' })).rejects.toMatchObject({ code: 'agent_error' });
  });

  it('fails with agent_silent if the agent does not answer', async () => {
    const start = startTestAgent({ behavior: 'silent-start', limits: { startTimeoutMs: 500 } });
    await expect(start).rejects.toMatchObject({ code: 'agent_silent' });
  });

  it('kills the agent when it is aborted', async () => {
    const start = AgentConnection.start(
      { name: 'sleeper', command: ['sleep', '60'], environmentNames: [], mode: null },
      folder,
      { signal: AbortSignal.timeout(100) },
    );
    await expect(start).rejects.toMatchObject({ code: 'agent_lost' });
  });
});

describe('the environment of an agent', () => {
  afterEach(() => {
    delete process.env.NAMED_KEY;
    delete process.env.OTHER_KEY;
  });

  it('contains named variables only', async () => {
    Object.assign(process.env, { NAMED_KEY: 'named', OTHER_KEY: 'other' });
    const { session } = await openTestSession({ environmentNames: ['NAMED_KEY'] });
    const { turn } = await runTestPrompt(session, 'environment NAMED_KEY\nthink so\nenvironment OTHER_KEY');
    expect(turn.messages).toEqual(['named', 'not set']);
  });
});

describe('a session', () => {
  it('fails with agent_auth_required if the agent is signed out', async () => {
    const connection = await startTestAgent({ behavior: 'signed-out' });
    await expect(connection.openSession(newSession)).rejects.toMatchObject({ code: 'agent_auth_required' });
  });

  it.each(['', 'config-options'])('is set to the configured mode (options: "%s")', async (behavior) => {
    const { session } = await openTestSession({ behavior, mode: 'auto' });
    expect(session.modes.map(({ id }) => id)).toEqual(['ask', 'auto']);
    expect(session.currentMode).toBe('auto');
    expect((await runTestPrompt(session, 'mode')).turn.messages).toEqual(['auto, set by the client']);
  });

  it('is set to the configured mode also if it is the default, and left alone without one', async () => {
    const configured = await openTestSession({ mode: 'ask' });
    expect((await runTestPrompt(configured.session, 'mode')).turn.messages).toEqual(['ask, set by the client']);
    const other = await openTestSession({ mode: null });
    expect((await runTestPrompt(other.session, 'mode')).turn.messages).toEqual(['ask, the default']);
  });

  it('is refused if the agent has no such mode', async () => {
    const connection = await startTestAgent({ mode: 'yolo' });
    await expect(connection.openSession(newSession)).rejects.toThrow(
      'The agent has no mode "yolo". Its modes: ask, auto.',
    );
  });

  it('answers its first prompt after a load also if the agent repeats the blocks of the prompt', async () => {
    const behavior = 'images,repeat-prompt';
    const first = await openTestSession({ cwd: folder, behavior });
    await first.connection.stop();
    const second = await startTestAgent({ cwd: folder, behavior });
    const { session } = await second.openSession({ cwd: folder, agentSessionId: first.session.id });
    const turn = new RecordedTurn();
    await session.prompt('say seen', turn, [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }]);
    expect(turn.messages).toEqual(['seen']);
  });

  it('is loaded by the next process with its earlier prompts', async () => {
    const first = await openTestSession();
    await runTestPrompt(first.session, 'say one');
    await first.connection.stop();
    const second = await startTestAgent();
    const { session, origin } = await second.openSession({ cwd: folder, agentSessionId: first.session.id });
    expect({ id: session.id, origin }).toEqual({ id: first.session.id, origin: 'loaded' });
    expect((await runTestPrompt(session, 'memory')).turn.messages).toEqual(['say one']);
  });

  it.each([
    ['the agent cannot load sessions', 'no-load'],
    ['the agent no longer has it', ''],
  ])('is created anew if %s', async (_, behavior) => {
    const connection = await startTestAgent({ behavior });
    const { session, origin } = await connection.openSession({ cwd: folder, agentSessionId: 'session-gone' });
    expect(origin).toBe('created');
    expect((await runTestPrompt(session, 'memory')).turn.messages).toEqual(['nothing']);
  });
});
