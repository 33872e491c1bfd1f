import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_READ_SCOPES, Subscriber } from '../../test/support/webhooks/webhook-fixture';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';

const MISSED_EVENTS = 1_000_000;
const RESUMES = 20;
const STREAMS = 2;
const RETRY_MS = 100;

export const missedEventsRow: BenchmarkRow = {
  name: 'missed-events',
  figure: 'resume of a stream while another account resumes behind 1,000,000 events',
  against: 'while none does',
  unit: 'ms',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(
        await BenchFixture.start(1, { RATE_LIMIT_METADATA: '1000000', EVENT_STREAMS_PER_TOKEN: '50' }),
      );
      const { http, url } = benchFixture.firstInstance;
      const [busy, other] = [await Subscriber.signUp(http, ALL_READ_SCOPES), await Subscriber.signUp(http)];
      const [busyCursor, otherCursor] = [await readCursor(url, busy.token), await readCursor(url, other.token)];
      await other.triggerEvent();
      await insertEvents(benchFixture, busy.device.accountId);
      const peer = () => measureResumes(url, other.token, otherCursor);
      const measured = async () => {
        const stop = new AbortController();
        const resumes = Array.from({ length: STREAMS }, () => resumeAgain(url, busy.token, busyCursor, stop.signal));
        try {
          return await peer();
        } finally {
          stop.abort();
          await Promise.all(resumes);
        }
      };
      await warmUpMeasurements(2, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Returns the cursor of the present. */
async function readCursor(url: string, token: string): Promise<string> {
  const [, cursor] = await readStream(url, token, /^id: (.+)$/m);
  return cursor!;
}

/** Opens a stream and reads it until the pattern matches. */
async function readStream(
  url: string,
  token: string,
  pattern: RegExp,
  lastEventId?: string,
): Promise<RegExpMatchArray> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${url}/external/v1/events`, { headers });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    const match = pattern.exec(text);
    if (match) return match;
  }
  throw new Error(`The stream ended with status ${response.status}: ${text}`);
}

/** Inserts events of sessions with a thousand each, as many transactions would have. */
async function insertEvents(benchFixture: BenchFixture, accountId: string): Promise<void> {
  await benchFixture.query(
    `INSERT INTO event_log (id, account_id, session_id, position, type, payload, logged_at)
     SELECT 'evt_' || lpad(g::text, 26, '0'), $1, 'ses_' || lpad((g / 1000)::text, 26, '0'), g % 1000,
            'message.created',
            json_build_object('type', 'message.created', 'timestamp', 0, 'data', json_build_object('id', g)), now()
       FROM generate_series(1, ${MISSED_EVENTS}) g`,
    [accountId],
  );
  await benchFixture.query('ANALYZE event_log');
}

/** Returns the median ms from the call to the first event that was missed. */
async function measureResumes(url: string, token: string, lastEventId: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < RESUMES; n++) {
    const startedAt = performance.now();
    await readStream(url, token, /^event: session\.created$/m, lastEventId);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Resumes a stream again and again, as a client that ignores its errors does. */
async function resumeAgain(url: string, token: string, lastEventId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const path = `${url}/external/v1/events?types=session.ended`;
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': lastEventId };
    const response = await fetch(path, { headers, signal }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    await sleep(RETRY_MS);
  }
}
