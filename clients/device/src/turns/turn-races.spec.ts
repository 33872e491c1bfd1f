import { MemoryKeyStore } from '../index';
import { MemoryHistoryOutbox } from '../history/history-outbox';
import { HistoryWriter } from '../history/history-writer';
import { createPermissionRequest, ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { MemoryTurnJournal, type TurnEntry } from './turn-journal';

/** Store whose outbox and journal can be made to block or fail. */
class FaultyKeyStore extends MemoryKeyStore {
  /** Called before each message is stored. */
  beforeMessage: (localId: string) => Promise<void> = () => Promise.resolve();
  /** Called before each turn is saved. */
  beforeSave: (entry: TurnEntry) => Promise<void> = () => Promise.resolve();
  private readonly outbox = new MemoryHistoryOutbox();
  private readonly journal = new MemoryTurnJournal();

  override openOutbox() {
    return {
      loadEntries: () => this.outbox.loadEntries(),
      storeEntry: async (entry: Parameters<MemoryHistoryOutbox['storeEntry']>[0]) => {
        await this.beforeMessage(entry.localId);
        return this.outbox.storeEntry(entry);
      },
    };
  }

  override openTurnJournal() {
    return {
      loadEntries: () => this.journal.loadEntries(),
      saveEntry: async (entry: TurnEntry) => {
        await this.beforeSave(entry);
        return this.journal.saveEntry(entry);
      },
      syncEntry: () => this.journal.syncEntry(),
      deleteEntry: (requestId: string) => this.journal.deleteEntry(requestId),
    };
  }
}

const SCRIPTS: Record<string, AgentScript> = {
  work: () => new Promise(() => undefined),
  flood: async (listener) => {
    await Promise.resolve();
    for (floodCount = 0; floodCount < 1_000; floodCount++) listener.messageCompleted('x'.repeat(250_000));
  },
};
let floodCount: number;
let served: ServedMachine;
let agents: ScriptedAgents;
let store: FaultyKeyStore;

beforeEach(async () => {
  agents = new ScriptedAgents(SCRIPTS);
  store = new FaultyKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  const options = { commands: [command], provider: agents, permissionTimeoutMs: 3_000 };
  served = await ServedMachine.start({ store, agents: options });
});
afterEach(() => served.stop());

const createRequest = (content: string) => createSessionRequest('session.message', { content, waitMs: 0 });
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);
const cancelTurn = (requestId: string) =>
  served.service.callDevice(createSessionRequest('session.cancel', { turnId: requestId.replace('req_', 'turn_') }));
const endSession = () => served.service.callDevice(createSessionRequest('session.end', {}));

/** Sends a message and returns when its turn is in the journal, but not yet queued. */
async function acceptSlowly(content: string) {
  let release = (): void => undefined;
  const blocked = new Promise<void>((resolve) => (release = resolve));
  let isReached = false;
  store.beforeMessage = () => {
    isReached = true;
    return blocked;
  };
  const request = createMessageRequest(content);
  const answer = served.service.callDevice(request);
  await waitUntil(() => isReached);
  store.beforeMessage = () => Promise.resolve();
  return { request, answer, release };
}

describe('a turn that is not queued yet', () => {
  it('is never prompted after a cancellation', async () => {
    const { request, answer, release } = await acceptSlowly('never');
    expect(await cancelTurn(request.requestId)).toEqual({ ok: true, result: { state: 'cancelled' } });
    release();
    expect(await answer).toMatchObject({ ok: true, result: { turn: { state: 'cancelled' } } });
    await served.service.callDevice(createMessageRequest('after'));
    expect(agents.prompts).toEqual(['after']);
  });

  it('is cancelled with its session', async () => {
    const { request, answer, release } = await acceptSlowly('never');
    expect(await endSession()).toMatchObject({ ok: true });
    release();
    expect(await answer).toMatchObject({ ok: true, result: { turn: { state: 'cancelled' } } });
    await waitUntil(() => getTurn(request.requestId)?.state === 'cancelled');
    expect(agents.prompts).toEqual([]);
  });
});

it('lets callers try again while too many messages wait for the service', async () => {
  const isFull = jest.spyOn(HistoryWriter.prototype, 'isFull', 'get').mockReturnValue(true);
  const refused = await served.service.callDevice(createMessageRequest('never'));
  isFull.mockRestore();
  expect(refused).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(await served.service.callDevice(createMessageRequest('after'))).toMatchObject({ ok: true });
  expect(agents.prompts).toEqual(['after']);
});

describe('a journal that cannot be written', () => {
  const failFrom = (isFailing: (entry: TurnEntry) => boolean) => {
    store.beforeSave = (entry) => (isFailing(entry) ? Promise.reject(new Error('ENOSPC')) : Promise.resolve());
  };

  it('fails a turn before its prompt', async () => {
    failFrom(({ report }) => report.state === 'running');
    const request = createMessageRequest('never');
    expect(await served.service.callDevice(request)).toMatchObject({ result: { turn: { state: 'failed' } } });
    await waitUntil(() => getTurn(request.requestId)?.state === 'failed');
    expect(getTurn(request.requestId)).toMatchObject({ errorCode: 'agent_error' });
    expect(agents.prompts).toEqual([]);
  });

  it('does not run a failed turn again after a restart', async () => {
    failFrom(({ report }) => report.state !== 'queued');
    const request = createMessageRequest('never');
    expect(await served.service.callDevice(request)).toMatchObject({ result: { turn: { state: 'failed' } } });
    await waitUntil(() => getTurn(request.requestId)?.state === 'failed');
    await served.runner.stop();
    failFrom(() => false);
    served.runner = await served.machine.startServing();
    await served.service.callDevice(createMessageRequest('after'));
    expect(agents.prompts).toEqual(['after']);
  });

  it('still cancels a queued turn', async () => {
    const [running, queued] = ['work', 'never'].map(createRequest);
    for (const request of [running!, queued!]) await served.service.callDevice(request);
    failFrom(({ report }) => report.state === 'cancelled');
    expect(await cancelTurn(queued!.requestId)).toEqual({ ok: true, result: { state: 'cancelled' } });
  });

  it('still cancels all turns of a session that ends', async () => {
    const requests = ['work', 'second', 'third'].map(createRequest);
    for (const request of requests) await served.service.callDevice(request);
    await waitUntil(() => agents.prompts.length === 1);
    failFrom(({ report, requestId }) => report.state === 'cancelled' && requestId === requests[1]!.requestId);
    expect(await endSession()).toMatchObject({ ok: true });
    await waitUntil(() => requests.every(({ requestId }) => getTurn(requestId)?.state === 'cancelled'));
    expect(agents.prompts).toEqual(['work']);
  });
});

describe('the queue', () => {
  it('goes on after a turn whose end fails', async () => {
    const request = createPermissionRequest({
      cancel: () => {
        throw new Error('broken');
      },
    });
    SCRIPTS.ask = async (listener) => {
      listener.permissionRequested(request);
      await waitUntil(() => served.service.agents.permissionRequests.size === 1);
    };
    const broken = createMessageRequest('ask');
    await served.service.callDevice(broken);
    await served.service.callDevice(createMessageRequest('after'));
    expect(agents.prompts).toEqual(['ask', 'after']);
    await waitUntil(() => getTurn(broken.requestId)?.state === 'failed');
    expect(getTurn(broken.requestId)?.errorCode).toBe('agent_error');
  });
});

describe('the history', () => {
  it('fails a turn whose agent writes faster than messages are stored', async () => {
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    store.beforeMessage = (localId) => (localId.endsWith(':user') ? Promise.resolve() : blocked);
    const request = createRequest('flood');
    await served.service.callDevice(request);
    await waitUntil(() => agents.prompts.length === 1 && floodCount > 0);
    expect(floodCount).toBeLessThan(40);
    release();
    await waitUntil(() => getTurn(request.requestId)?.state === 'failed');
    expect(getTurn(request.requestId)?.errorCode).toBe('agent_error');
  });
});
