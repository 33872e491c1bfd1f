import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus } from '../support/device/foreign-device';
import { AgentFixture } from '../support/agent-fixture';
import { waitFor } from '../support/wait-for';
import { StubModel } from './support/stub-model';
import { createTriedAgentCommand, readAgentVersion, TRIED_AGENTS, type TriedAgent } from './support/tried-agents';

/** Agents take half a minute to start on a busy machine. */
const TURN_TIMEOUT_MS = 100_000;

const agents = TRIED_AGENTS.map((agent) => ({ agent, version: readAgentVersion(agent) }));
const installed = agents.filter(({ version }) => version !== null);
for (const { agent, version } of agents)
  if (version === null) process.stdout.write(`Not tried: ${agent.name} is not installed.\n`);
if (installed.length === 0) throw new Error('No agent of docs/agents.md is installed. Set OPENCODE to its path.');

describe.each(installed)('$agent.name $version', ({ agent }: { agent: TriedAgent }) => {
  let model: StubModel;
  let fixture: AgentFixture;
  let sessionId: string;

  beforeAll(async () => {
    model = await StubModel.start();
    fixture = await AgentFixture.start('ada', (folder) => createTriedAgentCommand(agent, folder, model.url));
  });
  afterAll(async () => {
    await fixture?.stop();
    await model?.stop();
  });

  /** Waits until the turn has ended or requires action; after a decision, until it has another version. */
  async function waitForTurn(turnId: string, afterVersion = 0): Promise<{ state: string; version: number }> {
    return waitFor(async () => {
      const query = `waitMs=10000&afterVersion=${afterVersion}`;
      const turn = await fixture.get(`/sessions/${sessionId}/turns/${turnId}?${query}`);
      afterVersion = turn.version;
      expect(['queued', 'running']).not.toContain(turn.state);
      return turn;
    }, TURN_TIMEOUT_MS);
  }

  /** Sends a message and waits until its turn has ended or requires action. Returns the agent's text. */
  async function sendMessage(content: string) {
    const { turn } = (await fixture.sendMessage(sessionId, content, 0)).result;
    const { state, version } = await waitForTurn(turn.id);
    return { turnId: turn.id, state, version, text: await readText(turn.id) };
  }

  /** Reads the agent's messages of a turn as a script with a grant does, oldest first. */
  async function readText(turnId: string): Promise<string> {
    const path = `/sessions/${sessionId}/messages`;
    const messages: { id: string }[] = await fixture.get(`${path}?turnId=${turnId}&role=assistant&order=asc`);
    const contents = messages.map(({ id }) => fixture.get(`${path}/${id}/content`));
    return (await Promise.all(contents)).map(({ content }) => content).join('\n');
  }

  const getPermissionsPath = () => `/sessions/${sessionId}/permission-requests`;

  /** Asks the agent to run a command, and decides as a script does: reads what is asked, then answers. */
  async function runWithDecision(command: string, decision: 'allow' | 'reject') {
    const { turnId, state, version } = await sendMessage(`run ${command}`);
    expect(state).toBe('requires_action');
    const [pending] = (await fixture.get(`${getPermissionsPath()}?state=pending`)) as { id: string }[];
    const path = `${getPermissionsPath()}/${pending!.id}`;
    const { content, contentHash } = await fixture.get(`${path}/content`);
    expect(content).toContain(command);
    const decided = await fixture.post(`${path}/decision`, { decision, contentHash });
    expect(expectStatus(decided, 200).result).toMatchObject({ state: decision === 'allow' ? 'allowed' : 'rejected' });
    return { turnId, path, turn: await waitForTurn(turnId, version) };
  }

  it('starts a session, which is granted to scripts', async () => {
    sessionId = (await fixture.startSession()).result.sessionId;
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ agent: { name: agent.name } });
    const session = await fixture.ada.content.getSession(sessionId);
    await fixture.ada.content.createKeyGrant(session, {});
  });

  it('answers a message', async () => {
    const answer = await sendMessage('say Hello from the stub.');
    expect(answer).toMatchObject({ state: 'completed', text: expect.stringContaining('Hello from the stub.') });
  });

  it('runs a command that a script has allowed', async () => {
    const { turnId, turn } = await runWithDecision('echo seen > allowed.txt && cat allowed.txt', 'allow');
    expect(turn).toMatchObject({ state: 'completed' });
    expect(readFileSync(join(fixture.folder, 'allowed.txt'), 'utf8')).toBe('seen\n');
    expect(await fixture.readRoles(sessionId, turnId)).toEqual(expect.arrayContaining(['user', 'tool', 'assistant']));
  });

  it('does not run a command that a script has rejected', async () => {
    const { path, turn } = await runWithDecision('touch rejected.txt', 'reject');
    expect(['completed', 'cancelled']).toContain(turn.state);
    expect(await fixture.get(path)).toMatchObject({ state: 'rejected' });
    expect(existsSync(join(fixture.folder, 'rejected.txt'))).toBe(false);
  });

  it('stops when a turn is cancelled, and answers the next message', async () => {
    const { turn } = (await fixture.sendMessage(sessionId, 'wait', 0)).result;
    await fixture.waitForTurn(sessionId, turn.id, 'running');
    const cancelled = await fixture.post(`/sessions/${sessionId}/turns/${turn.id}/cancel`);
    expect(expectStatus(cancelled, 200).result).toEqual({ state: 'cancelled' });
    expect(await sendMessage('say Still here.')).toMatchObject({
      state: 'completed',
      text: expect.stringContaining('Still here.'),
    });
  });

  it('continues the session after a restart of the device, or says that the agent has forgotten it', async () => {
    await fixture.machine.stop();
    await fixture.machine.startServing();
    const { turnId, state, text } = await sendMessage('recall');
    expect(state).toBe('completed');
    const roles = await fixture.readRoles(sessionId, turnId);
    if (!text.includes('Hello from the stub.')) expect(roles).toContain('system');
  });

  it('reports no problem', () => expect(fixture.problems).toEqual([]));
});
