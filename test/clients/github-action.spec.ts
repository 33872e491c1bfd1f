import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '../support/wait-for';
import { readAction, runAction, type ActionRun } from './support/action-runner';
import { IntegrationFixture } from './support/integration-fixture';

const HOSTILE =
  '"; touch hostile; $(touch hostile) `touch hostile`\n::set-output name=status::forged\n${{ github.token }}';

describe('the GitHub action', () => {
  let fixture: IntegrationFixture;
  let base: Record<string, string>;

  beforeAll(async () => {
    fixture = await IntegrationFixture.start();
    base = { host: fixture.url, token: fixture.token };
  });
  afterAll(() => fixture?.stop());

  const runOnMachine = (...command: string[]) =>
    runAction({ ...base, machine: fixture.machine.id, command: JSON.stringify(command) });
  const findState = async ({ outputs }: ActionRun) =>
    ((await fixture.list(`/sessions/${outputs['session-id']}`)) as unknown as { state: string }).state;
  const readOutput = ({ outputs }: ActionRun) => readFileSync(outputs['stdout-file']!, 'utf8');
  /** Returns the part of the log in which the runner executes no commands. */
  const readQuotedLog = ({ stdout }: ActionRun) => /^::stop-commands::(\S+)\n([^]*)\n::\1::\n$/m.exec(stdout)![2]!;

  it('is a composite action whose scripts contain no expression', () => {
    const { name, description, inputs, outputs, runs } = readAction();
    expect(name).toBe('External API');
    expect(description.length).toBeLessThan(126);
    expect(runs.using).toBe('composite');
    for (const step of runs.steps) {
      expect(step.shell).toBe('bash');
      expect(step.run).not.toContain('${{');
      expect(Object.keys(step).sort()).toEqual(['env', 'id', 'run', 'shell']);
    }
    const used = runs.steps.flatMap(({ env = {} }) => Object.values(env)).sort();
    expect(used).toEqual(
      Object.keys(inputs)
        .map((input) => `\${{ inputs.${input} }}`)
        .sort(),
    );
    for (const input of Object.values(inputs)) expect(input).toMatchObject({ description: expect.any(String) });
    expect(Object.keys(outputs)).toEqual(['status', 'exit-code', 'session-id', 'turn-id', 'reply', 'stdout-file']);
  });

  it('runs a command, sets outputs, and shows its output in the log and the summary', async () => {
    const run = await runOnMachine('sh', '-c', 'echo "built $1"; echo warned >&2', 'sh', '```a```');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.outputs).toMatchObject({ status: 'completed', 'exit-code': '0', 'turn-id': '' });
    expect(readOutput(run)).toBe('built ```a```\n');
    expect(readQuotedLog(run)).toContain('warned');
    expect(run.summary).toBe('Command: **completed**, exit code 0\n\n````text\nbuilt ```a```\n\n````\n');
  });

  it('shows all of a long output in the log', async () => {
    const run = await runOnMachine('seq', '400000');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(readQuotedLog(run) === `${readOutput(run)}\n`).toBe(true);
  });

  it('fails with the exit code of a command that fails, and with the time that is up', async () => {
    const failed = await runOnMachine('sh', '-c', 'exit 7');
    expect(failed).toMatchObject({ code: 1, outputs: { status: 'completed', 'exit-code': '7' } });
    const command = JSON.stringify(['sleep', '60']);
    const late = await runAction({ ...base, machine: fixture.machine.id, command, timeout: '1' });
    expect(late).toMatchObject({ code: 1, outputs: { status: 'timed_out', 'exit-code': '' } });
  });

  it('sends a message, waits for its turn, and returns the reply', async () => {
    const session = await fixture.startSession();
    const run = await runAction({ ...base, session, message: 'say First.\nslow-tool 500\nsay Then.' });
    expect(run).toMatchObject({ code: 0, outputs: { status: 'completed', 'exit-code': '' } });
    expect(run.outputs['turn-id']).toMatch(/^turn_\w{26}$/);
    expect(readOutput(run)).toBe('First.\n\nThen.');
    const asking = await runAction({ ...base, session, message: 'edit unapproved.txt text' });
    expect(asking).toMatchObject({ code: 1, outputs: { status: 'requires_action' } });
    expect(asking.summary).toContain('**requires_action**');
  });

  it('starts an agent on a machine by its name, returns its reply, and ends the session', async () => {
    const [{ name: machine }] = await fixture.list('/machines');
    const run = await runAction({ ...base, machine, agent: 'test', message: 'wait 500\nsay Fixed.' });
    expect(run).toMatchObject({ code: 0, stderr: '', outputs: { status: 'completed', reply: 'Fixed.' } });
    expect(run.outputs['turn-id']).toMatch(/^turn_\w{26}$/);
    expect(readOutput(run)).toBe('Fixed.');
    expect(await findState(run)).toBe('ended');
    const failed = await runAction({ ...base, machine, message: 'fail -32603', 'keep-session': 'true' });
    expect(failed).toMatchObject({ code: 1, outputs: { status: 'failed', reply: '' } });
    expect(await findState(failed)).toBe('active');
    const command = await runAction({ ...base, machine, command: '["true"]' });
    expect(command).toMatchObject({ code: 0, outputs: { status: 'completed', 'session-id': '' } });
  });

  it('fails when the agent asks, or waits for a decision up to its time', async () => {
    const work = { ...base, machine: fixture.machine.id, message: 'edit asked.txt text' };
    const asked = await runAction(work);
    expect(asked).toMatchObject({ code: 1, outputs: { status: 'requires_action' } });
    expect(await findState(asked)).toBe('active');
    const late = await runAction({ ...work, 'on-permission-request': 'wait', timeout: '2' });
    expect(late).toMatchObject({ code: 1, outputs: { status: 'timed_out' } });
    const known = (await fixture.list('/sessions?state=active')).map(({ id }) => id);
    const pending = runAction({ ...work, 'on-permission-request': 'wait', timeout: '60' });
    const { id } = await waitFor(async () => {
      const sessions = await fixture.list('/sessions?state=active');
      const session = sessions.find((each) => !known.includes(each.id) && each.activity === 'requires_action');
      expect(session).toBeDefined();
      return session;
    }, 20_000);
    const path = `/sessions/${id}/permission-requests`;
    const [request] = await fixture.list(`${path}?state=pending`);
    const { contentHash } = (await fixture.list(`${path}/${request.id}/content`)) as unknown as { contentHash: string };
    await fixture.post(`${path}/${request.id}/decision`, { decision: 'allow', contentHash });
    const decided = await pending;
    expect(decided).toMatchObject({ code: 0, outputs: { status: 'completed', 'session-id': id } });
    expect(decided.stdout).toContain(`Session: ${fixture.url}/console/sessions/${id}\n`);
    expect(fixture.hasFile('asked.txt')).toBe(true);
  });

  it('passes hostile inputs on as text and executes none of them', async () => {
    const run = await runOnMachine('printf', '%s', HOSTILE);
    expect(run.code).toBe(0);
    expect(readOutput(run)).toBe(HOSTILE);
    expect(readQuotedLog(run)).toContain(HOSTILE);
    const session = await fixture.startSession();
    const said = await runAction({ ...base, session, message: `say ${HOSTILE}` });
    expect(said.outputs.status).toBe('completed');
    expect(readOutput(said)).toContain('"; touch hostile; $(touch hostile) `touch hostile`');
    const inputs = { session: HOSTILE, machine: HOSTILE, timeout: HOSTILE, host: HOSTILE, token: HOSTILE };
    for (const [name, value] of Object.entries(inputs)) {
      const work: Record<string, string> =
        name === 'session' ? { message: 'say x' } : { machine: fixture.machine.id, command: '["true"]' };
      const failed = await runAction({ ...base, ...work, [name]: value });
      expect(failed).toMatchObject({ code: 1, outputs: { status: 'error' } });
      expect(readdirSync(failed.workspace)).toEqual([]);
    }
    for (const { workspace } of [run, said]) expect(readdirSync(workspace)).toEqual([]);
    expect(fixture.hasFile('hostile')).toBe(false);
  });

  it('masks the token before anything else, and shows it nowhere', async () => {
    const run = await runOnMachine('no-such-command');
    expect(run.code).toBe(1);
    expect(run.outputs.status).toBe('answered');
    const [first, ...others] = run.stdout.split('\n');
    expect(first).toBe(`::add-mask::${fixture.token}`);
    expect(others[0]).toMatch(/^::error::device_error: .*command_not_found.*\(req_\w+\)$/);
    expect(others.join('\n') + run.stderr + run.summary + JSON.stringify(run.outputs)).not.toContain(fixture.token);
  });

  it.each([
    [{}, 'Set machine and message, session and message, or machine and command.'],
    [{ machine: 'mch_0', command: 'npm test' }, 'The command must be a JSON array of strings'],
    [{ machine: 'mch_0', command: '["npm", 1]' }, 'The command must be a JSON array of strings'],
    [
      { machine: 'mch_0', command: '["true"]', message: 'hello' },
      'Set machine and message, session and message, or machine and command.',
    ],
    [{ session: 'ses_0', message: 'hello', cwd: '/srv' }, 'agent, cwd and keep-session are for machine and message.'],
    [
      { machine: 'mch_0', message: 'hello', 'on-permission-request': 'allow' },
      'on-permission-request must be fail or wait.',
    ],
    [{ machine: 'mch_0', message: 'hello', 'keep-session': 'yes' }, 'keep-session must be false or true.'],
    [{ machine: 'no such', message: 'hello' }, 'The account has no machine with this ID or name.'],
    [{ machine: 'mch_0', command: '["true"]', timeout: '3601' }, 'The timeout must be from 1 to 3600 seconds.'],
    [{ machine: 'mch_0', command: '["true"]', token: '' }, 'Set the inputs host and token.'],
  ])('refuses the inputs %j', async (inputs, message) => {
    const run = await runAction({ ...base, ...inputs });
    expect(run).toMatchObject({ code: 1, stderr: '', outputs: { status: 'error' } });
    expect(run.stdout).toContain(`::error::${message}`);
  });

  it('cancels the command when the workflow is cancelled', async () => {
    let shell = 0;
    const command = JSON.stringify(['sleep', '64']);
    const pending = runAction({ ...base, machine: fixture.machine.id, command }, (pid) => (shell = pid));
    const listOpen = () => fixture.list(`/machines/${fixture.machine.id}/invocations?state=running`);
    await waitFor(async () => expect(await listOpen()).toHaveLength(1), 20_000);
    // The runner signals the process of the step, and none of its children.
    process.kill(shell, 'SIGINT');
    expect(await pending).toMatchObject({ code: 1, outputs: { status: 'cancelled' } });
    await waitFor(async () => expect(await listOpen()).toEqual([]), 20_000);
  });
});
