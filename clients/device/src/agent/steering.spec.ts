import { buildTestAgent, openTestSession, RecordedTurn, stopTestAgents, waitUntil } from './testing/test-agents';

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);

async function beginTurn(behavior: string, script = 'say before\nawait-steering') {
  const { session, connection } = await openTestSession({ behavior });
  const turn = new RecordedTurn();
  const ended = session.prompt(script, turn);
  // Tests that stop the agent don't wait for it.
  ended.catch(() => undefined);
  await waitUntil(() => turn.addedTexts.length > 0);
  return { session, connection, turn, ended };
}
const nothing = () => Promise.resolve();

describe('a message for an agent that works', () => {
  it('joins its turn, after what it has said before', async () => {
    const { session, turn, ended } = await beginTurn('steering');
    expect(session.agent.canSteer).toBe(true);
    let seen: string[] = [];
    const isTaken = await session.steer('Use tabs.', () => {
      seen = [...turn.messages];
      return Promise.resolve();
    });
    expect([isTaken, await ended, seen, turn.messages]).toEqual([
      true,
      { stopReason: 'end_turn' },
      ['before'],
      ['before', 'told: Use tabs.'],
    ]);
  });

  it('is not given to an agent whose turn has ended meanwhile', async () => {
    const { session, turn, ended } = await beginTurn('steering', 'say before\nwait 200');
    const isTaken = await session.steer('Use tabs.', async () => void (await ended));
    expect([isTaken, turn.messages]).toEqual([false, ['before']]);
    expect(await session.steer('Use tabs.', nothing)).toBe(false);
  });

  it('is left to the device by an agent whose turn ends as it arrives', async () => {
    const { session } = await beginTurn('steering,late-steering');
    expect(await session.steer('Use tabs.', nothing)).toBe(false);
  });

  it('is never sent twice to an agent that begins a turn of its own for it', async () => {
    const { session } = await beginTurn('steering,late-steering,own-turns');
    expect(await session.steer('Use tabs.', nothing)).toBe(true);
  });

  it('fails if the agent refuses it, and if the agent ends', async () => {
    const { session } = await beginTurn('steering,refuse-steering');
    await expect(session.steer('Use tabs.', nothing)).rejects.toThrow('Not now');
    const second = await beginTurn('steering');
    expect(await second.session.steer('Use tabs.', () => second.connection.stop())).toBe(false);
    await expect(second.ended).rejects.toMatchObject({ code: 'agent_lost' });
  });

  it('is not for agents that do not announce it', async () => {
    const { session } = await openTestSession();
    expect(session.agent.canSteer).toBe(false);
  });
});
