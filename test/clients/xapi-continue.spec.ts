import { ApprovalFixture } from '../support/approval-fixture';
import { readJson, runOnTerminal, runXapi, type XapiEnv } from '../support/clients/xapi';
import { itWith } from '../support/dependencies';
import type { MachineProcess } from '../support/machine-process';
import { createScratchFolder } from '../support/scratch-folder';
import { createTempFolder } from '../support/temp-folder';
import { createTerminalSession } from '../support/terminal-session';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'machines:read', 'machines:invoke'];
const onTerminal = itWith('script');

describe('xapi continue', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  let folder: string;
  let env: XapiEnv;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    folder = createTempFolder();
    const agentEnv = { TEST_AGENT_FOLDER: folder, TEST_AGENT_OPTIONS: 'orderly-replay' };
    const args = ['--name', 'build-1', '--agent-env', 'TEST_AGENT_FOLDER,TEST_AGENT_OPTIONS'];
    machine = await fixture.startMachineWith({ env: agentEnv, args });
    const { token } = await fixture.ada.createToken(SCOPES);
    env = { XAPI_HOST: fixture.service.url, XAPI_TOKEN: token, XDG_CONFIG_HOME: createScratchFolder() };
    createTerminalSession(folder, 'session-a', fixture.folder, ['say one']);
    createTerminalSession(folder, 'session-b', fixture.folder, ['say \u001b[31mred']);
    createTerminalSession(folder, 'session-c', fixture.folder, ['say three']);
  });
  afterAll(() => fixture?.stop());

  it('prints the sessions of the machine without a terminal, and as JSON', async () => {
    const { code, out, err } = await runXapi(['continue', 'build-1', '--limit', '2'], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^# +TITLE/);
    expect(out).toContain('say one');
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('session-c');
    expect(err).toContain('--session ID');
    const { sessions, problems } = await readJson(['continue', 'build-1'], env);
    expect(sessions).toMatchObject([
      { agentSessionId: 'session-a' },
      { agentSessionId: 'session-b' },
      { agentSessionId: 'session-c' },
    ]);
    expect(problems).toEqual([]);
  });

  it('continues the session that is named, and then says which one does already', async () => {
    const args = ['continue', machine.id, 'memory', '--session', 'session-a', '--wait'];
    const { code, out, err } = await runXapi(args, env);
    expect({ code, out }).toEqual({ code: 0, out: 'say one\n' });
    const [, sessionId] = /Session (ses_\w{26})/.exec(err)!;
    const again = await runXapi(['continue', machine.id, '--session', 'session-a'], env);
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain(`xapi send ${sessionId}`);
    const copy = await readJson(['continue', machine.id, '--session', 'session-a', '--fork'], env);
    expect(copy.sessionId).not.toBe(sessionId);
  });

  onTerminal('asks which one on a terminal, and offers a copy first', async () => {
    const { code, text } = await runOnTerminal('xapi continue build-1 --no-color', env, {
      columns: 120,
      dialogue: [
        ['Which one? [1-', '9\n'],
        ['Which one? [1-', '3\n'],
        ['Continue a copy? [Y/n] ', '\n'],
      ],
    });
    expect(code).toBe(0);
    expect(text).toContain('A copy leaves the session in the terminal as it is.');
    // The terminal doesn't show what is typed, so the ID follows the question on its line.
    const [, sessionId] = /\[Y\/n\][^]*?(ses_\w{26})$/m.exec(text)!;
    const { sessions } = await readJson(['continue', 'build-1'], env);
    const listed = sessions as { agentSessionId: string; sessionId: string | null }[];
    expect(listed.find((each) => each.agentSessionId === 'session-c')!.sessionId).toBeNull();
    expect(listed.find((each) => each.sessionId === sessionId)!.agentSessionId).toMatch(/-copy$/);
  });

  onTerminal('ends at Ctrl-C while it asks', async () => {
    const answer = { prompt: 'Which one? [1-', input: '\x03' };
    expect(await runOnTerminal('xapi continue build-1', env, answer)).toMatchObject({ code: 130 });
  });

  it.each([[['--fork', '--no-fork']], [['--wait']]])('is refused with %j', async (options) => {
    expect(await runXapi(['continue', 'build-1', ...options], env)).toMatchObject({ code: 2, out: '' });
  });
});
