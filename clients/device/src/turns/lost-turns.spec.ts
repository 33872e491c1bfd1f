import { UnreachableError } from '../client-errors';
import { MemoryHistoryOutbox } from '../history/history-outbox';
import { HistoryWriter } from '../history/history-writer';
import { createFirstTurnReport } from '../history/turn-announcer';
import { Backoff } from '../machine/backoff';
import { AGENT_CAPABILITIES, CapabilityNegotiation } from '../machine/capability-negotiation';
import { ServerClock } from '../machine/server-clock';
import type { SignedInDevice } from '../signed-in-device';
import { waitUntil } from '../testing/served-machine';
import { StateReporter } from './state-reporter';
import { MemoryTurnJournal } from './turn-journal';
import { TurnStore } from './turn-store';

const TEN_MINUTES_MS = 600_000;
const ENTRY = { requestId: 'req_1', sessionId: 'ses_1', caller: null, prompt: '', isPrompted: false, isSettled: false };
const HELLO = { serverTime: 0, deviceId: 'dev_1', capabilities: [...AGENT_CAPABILITIES] };

it('are reported again however long the service gives no answer after the connection', async () => {
  const realSetTimeout = setTimeout;
  let isReachable = false;
  let listCount = 0;
  const revisions: number[] = [];
  const device = {
    state: { deviceId: 'dev_1' },
    callApi: (_method: string, _path: string, { revision }: { revision: number }) => {
      if (!isReachable) return Promise.reject(new UnreachableError('A portal has answered.'));
      return Promise.resolve(void revisions.push(revision));
    },
    async *iterateItems() {
      listCount++;
      await Promise.resolve();
      if (!isReachable) throw new UnreachableError('A portal has answered.');
      yield { id: 'turn_1', deviceId: 'dev_1' };
    },
  } as unknown as SignedInDevice;
  const problems: string[] = [];
  const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
  const backoff = { baseMs: 1, maxMs: 2 };
  const journal = new MemoryTurnJournal();
  const times = { createdAt: Date.now(), deadline: Date.now() };
  await journal.saveEntry({ ...ENTRY, ...times, report: createFirstTurnReport() });
  const history = await HistoryWriter.openFromOutbox(
    device,
    new MemoryHistoryOutbox(),
    capabilities,
    new Backoff(backoff),
  );
  const shared = { device, capabilities, backoff, onProblem: (problem: string) => problems.push(problem) };
  const reporter = new StateReporter(shared);
  await TurnStore.openFromJournal({ ...shared, journal, history, reporter, clock: new ServerClock() });

  jest.useFakeTimers({
    doNotFake: ['Date', 'performance', 'setImmediate', 'setInterval', 'nextTick', 'queueMicrotask'],
  });
  capabilities.applyHello(HELLO);
  jest.advanceTimersByTime(TEN_MINUTES_MS);
  jest.useRealTimers();
  expect(setTimeout).toBe(realSetTimeout);
  await waitUntil(() => listCount > 3);
  // A later connection begins anew, and leaves one review.
  capabilities.applyHello(HELLO);
  isReachable = true;
  await waitUntil(() => revisions.includes(2));
  expect(problems.filter((problem) => problem.includes("can't be found"))).toEqual([]);
  const count = listCount;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(listCount).toBe(count);
  await reporter.close();
  await history.close();
});
