import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PermissionOptionKind } from '@external-api/protocol';
import type { AgentPermissionRequest } from './agent-session';
import {
  buildTestAgent,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';

/** Answers as a person does who selects the first option of this kind. */
function selectFirst(request: AgentPermissionRequest, wanted: PermissionOptionKind): void {
  request.select(request.options.find(({ kind }) => kind === wanted)!.optionId);
}

const folder = mkdtempSync(join(tmpdir(), 'running-session-'));

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a turn', () => {
  it('joins the chunks of each message and reports tool calls in order', async () => {
    const { session } = await openTestSession();
    const { turn, stopReason, usage } = await runTestPrompt(session, 'say first part\ntool done\nsay second');
    expect(turn.messages).toEqual(['first part', 'second']);
    expect(turn.order).toEqual(['message', 'tool', 'message']);
    expect(turn.toolCalls).toMatchObject([
      { title: 'Run a command', kind: 'execute', status: 'completed', output: 'done' },
    ]);
    expect(stopReason).toBe('end_turn');
    expect(usage).toEqual({ inputTokens: 35, outputTokens: 7, totalTokens: 42, cachedInputTokens: null });
  });

  it('reports a tool call that the agent sends only updates of', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'update-tool done');
    expect(turn.toolCalls).toMatchObject([{ title: 'Run a command', status: 'completed', output: 'done' }]);
  });

  it.each(['max_tokens', 'max_turn_requests', 'refusal'])('ends with the stop reason %s', async (reason) => {
    const { session } = await openTestSession();
    expect((await runTestPrompt(session, `stop ${reason}`)).stopReason).toBe(reason);
  });

  it('fails with agent_error for an unknown stop reason or an error, and the session stays usable', async () => {
    const { session } = await openTestSession();
    await expect(runTestPrompt(session, 'stop boredom')).rejects.toMatchObject({ code: 'agent_error' });
    await expect(runTestPrompt(session, 'fail -32603')).rejects.toMatchObject({ code: 'agent_error' });
    await expect(runTestPrompt(session, 'fail -32000')).rejects.toMatchObject({ code: 'agent_auth_required' });
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });

  it('knows since when the agent has done nothing, and a running tool is work', async () => {
    const { session } = await openTestSession();
    expect(session.idleMs).toBeNull();
    const silent = session.prompt('say x\nsilent', new RecordedTurn());
    await waitUntil(() => (session.idleMs ?? 0) > 100);
    await session.cancel();
    await silent;
    const turn = new RecordedTurn();
    const asking = session.prompt('slow-tool 300\nask', turn);
    await waitUntil(() => session.idleMs === 0);
    await waitUntil(() => turn.permissions.length === 1);
    await waitUntil(() => (session.idleMs ?? 0) > 100);
    turn.permissions[0]?.select('o1');
    await asking;
  });

  it('gives the session a title that is no beginning of the prompt', async () => {
    const { session } = await openTestSession();
    const titles: string[] = [];
    session.onTitled = (title) => titles.push(title);
    await session.prompt('name Failing test\nname name Failing\nname Say...\nname Green test', new RecordedTurn());
    expect(titles).toEqual(['Failing test', 'Green test']);
  });

  it('is refused while another one runs', async () => {
    const { session } = await openTestSession();
    const running = session.prompt('silent', new RecordedTurn());
    await expect(session.prompt('say no', new RecordedTurn())).rejects.toThrow('A prompt of this session is running.');
    await session.cancel();
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
  });

  it('fails if its listener throws', async () => {
    const { session } = await openTestSession();
    const listener = new RecordedTurn();
    listener.messageCompleted = () => {
      throw new Error('The disk is full.');
    };
    await expect(session.prompt('say hello\ntool x', listener)).rejects.toMatchObject({ code: 'agent_error' });
    expect((await runTestPrompt(session, 'say on')).turn.messages).toEqual(['on']);
  });
});

describe('a permission request', () => {
  it('shows the tool, its input and all options, and passes the selected option to the agent', async () => {
    const { session } = await openTestSession({ cwd: folder });
    const { turn } = await runTestPrompt(session, 'edit note.txt new text', (request) => request.select('o1'));
    expect(turn.permissions).toMatchObject([
      {
        title: 'Edit note.txt',
        kind: 'edit',
        input: { path: join(folder, 'note.txt'), text: 'new text\n' },
        diff: expect.stringContaining('+new text'),
        options: [
          { optionId: 'o1', name: 'Allow', kind: 'allow_once' },
          { optionId: 'o2', name: 'Always allow', kind: 'allow_always' },
          { optionId: 'o3', name: 'Reject', kind: 'reject_once' },
        ],
      },
    ]);
    expect(turn.openCounts).toEqual([1, 0]);
    expect(turn.toolCalls).toMatchObject([{ status: 'completed', diff: expect.stringContaining('+new text') }]);
    expect(readFileSync(join(folder, 'note.txt'), 'utf8')).toBe('new text\n');
  });

  it('is rejected with the option that the agent offers', async () => {
    const { session } = await openTestSession({ cwd: folder });
    const { turn } = await runTestPrompt(session, 'edit other.txt x', (request) => selectFirst(request, 'reject_once'));
    expect(turn.toolCalls).toMatchObject([{ status: 'failed' }]);
    expect(existsSync(join(folder, 'other.txt'))).toBe(false);
  });

  it('is allowed with the first of two options that allow it once', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'ask-choice', (request) => selectFirst(request, 'allow_once'));
    expect(turn.permissions[0]?.options).toHaveLength(3);
    expect(turn.messages).toEqual(['answer: first']);
  });

  it('counts once for each request, also for the same tool call, and only its first answer counts', async () => {
    const { session } = await openTestSession();
    const turn = new RecordedTurn();
    const running = session.prompt('ask-twice', turn);
    await waitUntil(() => turn.permissions.length === 2);
    const [first, second] = turn.permissions;
    expect(first?.toolCallId).toBe(second?.toolCallId);
    expect(first?.id).not.toBe(second?.id);
    expect(() => first?.select('o9')).toThrow('no such option');
    expect([second?.select('o3'), second?.select('o1'), second?.cancel(), first?.select('o2')]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    await running;
    expect(turn.messages).toEqual(['answers: always no']);
    expect(turn.openCounts).toEqual([1, 2, 1, 0]);
  });

  it('is closed when the turn is cancelled', async () => {
    const { session } = await openTestSession();
    const turn = new RecordedTurn();
    const running = session.prompt('ask-twice', turn);
    await waitUntil(() => turn.permissions.length === 2);
    await session.cancel();
    expect(await Promise.all(turn.permissions.map(({ closed }) => closed))).toEqual([null, null]);
    expect(turn.permissions[0]?.select('o1')).toBe(false);
    expect((await running).stopReason).toBe('cancelled');
  });

  it('is closed when the agent ends the turn without waiting, or dies', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'ask-and-end');
    expect(await turn.permissions[0]?.closed).toBeNull();
    const other = new RecordedTurn();
    await expect(session.prompt('ask-and-end\ncrash', other)).rejects.toMatchObject({ code: 'agent_lost' });
    expect(await other.permissions[0]?.closed).toBeNull();
    expect(other.openCounts).toEqual([1, 0]);
  });
});

describe('the end of an agent', () => {
  it('fails the turn with agent_lost and reports the tool call that it interrupted', async () => {
    const { session, connection } = await openTestSession();
    const turn = new RecordedTurn();
    await expect(session.prompt('kill', turn)).rejects.toMatchObject({
      code: 'agent_lost',
      message: 'The agent ended (SIGKILL).',
    });
    expect(turn.toolCalls).toMatchObject([{ title: 'Run the tests', status: 'in_progress' }]);
    await connection.closed;
    await expect(runTestPrompt(session, 'say no')).rejects.toMatchObject({ code: 'agent_lost' });
  });

  it('tells its status and its standard error to the user only', async () => {
    const { session, connection } = await openTestSession();
    const failure = await runTestPrompt(session, 'errors key=\u001b[31msecret\ncrash').catch((error: Error) => error);
    expect(failure).toMatchObject({ message: 'The agent ended (status 3).' });
    expect((await connection.closed).stderr).toBe('key=\\u{1b}[31msecret\n');
  });
});
