import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentPermissionRequest } from './agent-session';
import type { ModeRule } from './agent-settings';
import {
  buildTestAgent,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  startTestAgent,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';

const folder = mkdtempSync(join(tmpdir(), 'mode-guard-'));
const ASKING: ModeRule = { callerMode: null, decidingCallerMode: 'allow', mustAsk: true };
const UNSAFE = { code: 'agent_error', cause: { code: 'agent_mode_unsafe' } };
const RETURNED =
  'The agent has changed its mode from "ask" to "auto", so that it would decide by itself. The device has set it back.';

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);
afterAll(() => rmSync(folder, { recursive: true }));

const open = (behavior: string, modeRule: Partial<ModeRule> = {}, mode: string | null = null) =>
  openTestSession({ behavior, mode, cwd: folder, modeRule: { ...ASKING, ...modeRule } });
const allow = (request: AgentPermissionRequest) =>
  void request.select(request.options.find(({ kind }) => kind === 'allow_once')!.optionId);
const readMode = async (session: Awaited<ReturnType<typeof open>>['session']) =>
  (await runTestPrompt(session, 'mode')).turn.messages[0];

describe('the mode of a session whose agent must ask', () => {
  it.each(['deciding', 'deciding,config-options', 'config-options'])(
    'is one that asks before the first prompt (options: %s)',
    async (behavior) => {
      const { session } = await open(behavior);
      expect(session.currentMode).toBe('ask');
      expect(await readMode(session)).toBe('ask, set by the client');
    },
  );

  it('asks again after the session was loaded', async () => {
    process.env.TEST_AGENT_FOLDER = folder;
    const first = await open('', { mustAsk: false });
    await runTestPrompt(first.session, 'change-mode auto');
    await first.connection.stop();
    const second = await startTestAgent({ cwd: folder });
    const request = { cwd: folder, agentSessionId: first.session.id, modeRule: ASKING };
    const { session, origin } = await second.openSession(request);
    expect({ origin, mode: await readMode(session) }).toEqual({ origin: 'loaded', mode: 'ask, set by the client' });
  });

  it.each(['allow-all', 'allow-all,config-options', 'allow-all,switches'])(
    'comes with the options without which the agent asks about nothing (options: %s)',
    async (behavior) => {
      const { session } = await open(behavior);
      const { turn } = await runTestPrompt(session, 'edit asked.txt text', allow);
      expect(turn.permissions).toHaveLength(1);
      const chosen = await open(behavior, { callerMode: 'auto' });
      expect((await runTestPrompt(chosen.session, 'edit unasked.txt text')).turn.permissions).toEqual([]);
      rmSync(join(folder, 'unasked.txt'));
    },
  );

  it('is left alone if the agent has no modes', async () => {
    const { session } = await open('no-modes');
    expect(session.modes).toEqual([]);
    expect(await readMode(session)).toBe('ask, the default');
  });

  it.each(['unknown-modes', 'unknown-modes,config-options'])(
    'is refused if none is known to ask (options: %s)',
    async (behavior) => {
      const refused = open(behavior);
      await expect(refused).rejects.toMatchObject(UNSAFE);
      await expect(refused).rejects.toThrow('--agent-mode test=MODE. Its modes: careful, quick.');
    },
  );

  it.each([
    ['the owner', {}, 'quick'],
    ['a caller', { callerMode: 'quick' }, null],
  ])('may be one that is not known if %s has chosen it', async (_, rule, mode) => {
    const { session } = await open('unknown-modes', rule, mode);
    expect(await readMode(session)).toBe('quick, set by the client');
  });

  it('need not be set if the agent can not set it and is in it', async () => {
    expect(await readMode((await open('fixed-mode')).session)).toBe('ask, the default');
    await expect(open('fixed-mode,deciding')).rejects.toMatchObject({ code: 'agent_error' });
  });

  it('is refused if the agent does not take it', async () => {
    await expect(open('stubborn')).rejects.toMatchObject(UNSAFE);
    await expect(open('stubborn')).rejects.toThrow('The agent did not change to the mode "ask".');
  });

  it("is not the caller's if the owner has locked modes in which the agent decides", async () => {
    const refused = open('', { callerMode: 'auto', decidingCallerMode: 'refuse' });
    await expect(refused).rejects.toMatchObject(UNSAFE);
    await expect(open('', { callerMode: 'none', decidingCallerMode: 'refuse' })).rejects.toMatchObject({
      cause: { code: 'mode_not_found' },
    });
    const asking = await open('', { callerMode: 'ask', decidingCallerMode: 'refuse' });
    expect(asking.session.currentMode).toBe('ask');
    const owners = await open('', { callerMode: 'auto', decidingCallerMode: 'refuse' }, 'auto');
    expect(owners.session.currentMode).toBe('auto');
  });

  it("is no longer the caller's once an app has prompted the agent", async () => {
    const { connection, session } = await open('', { callerMode: 'auto' });
    expect(session.currentMode).toBe('auto');
    const modeRule: ModeRule = { ...ASKING, callerMode: 'auto', decidingCallerMode: 'ignore' };
    await connection.applySettings(session, { modeRule });
    expect(await readMode(session)).toBe('ask, set by the client');
  });
});

describe('an agent that leaves its mode by itself', () => {
  it.each(['', 'config-options'])('is set back, and the readers are told (options: "%s")', async (behavior) => {
    const { session } = await open(behavior);
    const reported: (string | null)[] = [];
    session.onModesReported = () => reported.push(session.currentMode);
    const { turn } = await runTestPrompt(session, 'say one\nchange-mode auto\nwait 300\nmode');
    expect(turn.notices).toEqual([RETURNED]);
    expect(turn.messages).toEqual(['one', 'ask, set by the client']);
    expect(turn.order).toEqual(['message', 'notice', 'message']);
    expect(reported[0]).toBe('auto');
    expect(reported.at(-1)).toBe('ask');
  });

  it('gets no permission before it is back', async () => {
    const { session } = await open('slow-mode');
    // The agent says in which mode it got the permission.
    const { turn } = await runTestPrompt(session, 'change-mode auto\nask\nthink so\nmode', allow);
    expect(turn.messages).toEqual(['answer: once', 'ask, set by the client']);
    expect(turn.notices).toEqual([RETURNED]);
  });

  it('gets no permission that was given while it left', async () => {
    const { session } = await open('slow-mode');
    const { turn } = await runTestPrompt(session, 'ask-and-change auto\nthink so\nmode', (request) =>
      setTimeout(() => allow(request), 200),
    );
    expect(turn.messages).toEqual(['answer: once', 'ask, set by the client']);
  });

  it.each(['', 'switches'])(
    'is set back if it switches on an option that allows everything, as on a command in a message (options: %s)',
    async (behavior) => {
      const { session } = await open(behavior);
      const { turn } = await runTestPrompt(session, 'allow-all on\nwait 300\nedit option.txt text', allow);
      expect(turn.permissions).toMatchObject([{ kind: 'edit' }]);
      expect(turn.notices).toEqual([expect.stringContaining('option "allow_all" from "off" to "on"')]);
    },
  );

  it('is set back between turns, and the next turn says so', async () => {
    const { session } = await open('');
    const reported: (string | null)[] = [];
    session.onModesReported = () => reported.push(session.currentMode);
    await runTestPrompt(session, 'change-mode-later auto');
    await waitUntil(() => reported.join() === 'auto,ask');
    const { turn } = await runTestPrompt(session, 'mode');
    expect(turn).toMatchObject({ notices: [RETURNED], messages: ['ask, set by the client'] });
    expect((await runTestPrompt(session, 'mode')).turn.notices).toEqual([]);
  });

  it('is ended if it can not be set back, so that it writes nothing unasked', async () => {
    const { session } = await open('fixed-mode-once-set');
    const turn = new RecordedTurn();
    const failed = session.prompt('change-mode auto\nwait 2000\nedit unasked.txt text', turn);
    await expect(failed).rejects.toMatchObject({ code: 'agent_error' });
    expect(turn.notices).toEqual([expect.stringContaining('could not be set back, so the device has ended it.')]);
    expect(existsSync(join(folder, 'unasked.txt'))).toBe(false);
  });

  it('is ended if it leaves it again and again', async () => {
    const { session } = await open('');
    const turn = new RecordedTurn();
    const script = 'change-mode auto\nwait 100\n'.repeat(12);
    await expect(session.prompt(script, turn)).rejects.toMatchObject({ code: 'agent_error' });
    expect(turn.notices.filter((notice) => notice === RETURNED)).toHaveLength(8);
  });

  it('is set back to the deciding mode that was chosen, but not from one that asks', async () => {
    const { session } = await open('', { callerMode: 'auto' });
    const { turn } = await runTestPrompt(session, 'change-mode ask\nwait 200\nmode\nchange-mode other\nwait 300\nmode');
    expect(turn.messages).toEqual(['ask, set by the client', 'auto, set by the client']);
    expect(turn.notices).toEqual([expect.stringContaining('mode from "auto" to "other"')]);
  });

  it('may do so where it is allowed everything', async () => {
    const { session } = await open('', { mustAsk: false });
    const { turn } = await runTestPrompt(session, 'change-mode auto\nwait 100\nedit allowed.txt text');
    expect(turn).toMatchObject({ notices: [], permissions: [] });
    expect(readFileSync(join(folder, 'allowed.txt'), 'utf8')).toBe('text\n');
    expect(session.currentMode).toBe('auto');
  });
});
