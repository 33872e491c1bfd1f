/**
 * Commits events as an instance of the service does. On `{measure: {url, token, channel, count}}` it opens a stream,
 * commits events one by one, each when the one before has arrived, and reports the ms from each commit to the arrival.
 * On `{commit: {sessionId, count}}` it commits events of a session, and reports that they are committed.
 */
import 'reflect-metadata';
import { get } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { UnitOfWork } from '../../src/core/database';
import { EventPublisher, type DomainEvent } from '../../src/core/events';
import { EventOutboxService, type CommittedEvent } from '../../src/core/events/event-outbox.service';
import { OutboxRepository } from '../../src/core/events/outbox.repository';

interface LatencyRequest {
  url: string;
  token: string;
  /** Redis channel on which the server of the stream learns of commits. */
  channel: string;
  count: number;
}

const accountId = process.env.ACCOUNT_ID!;
const redis = new Redis(process.env.REDIS_URL!);
const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, installExtensions: false });
const unitOfWork = new UnitOfWork(dataSource);
const outbox = new EventOutboxService(unitOfWork, new OutboxRepository(unitOfWork), new Clock());
const eventPublisher = new EventPublisher(unitOfWork, outbox);

/** Commits an event, signals it, and returns it with the time of the commit. */
async function commitEvent(event: Pick<DomainEvent, 'type' | 'data'>, channel = 'changes') {
  let committed: { id: string; committedAt: number } | null = null;
  const subscription = outbox.committedEvents.subscribe(([committedEvent]: readonly CommittedEvent[]) => {
    const { id, sessionId } = committedEvent!;
    committed = { id, committedAt: performance.now() };
    void redis.publish(channel, `events/${accountId}/${sessionId ?? ''}/${id}`);
  });
  await unitOfWork.runInTransaction(() => Promise.resolve(eventPublisher.publishEvent({ ...event, accountId })));
  subscription.unsubscribe();
  return committed!;
}

async function commitSessionEvents({ sessionId, count }: { sessionId: string; count: number }): Promise<void> {
  for (let n = 0; n < count; n++) {
    await commitEvent({ type: 'session.updated', data: { id: sessionId, object: 'session', contentGranted: false } });
  }
}

async function measureLatencies({ url, token, channel, count }: LatencyRequest): Promise<number[]> {
  const request = get(url, { headers: { Authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the stream responded with ${response.statusCode}`);
  let arrivedText = '';
  const arrivals = new Map<string, () => void>();
  response.setEncoding('utf8').on('data', (text: string) => {
    arrivedText = (arrivedText + text).slice(-8_192);
    for (const [id, onArrival] of arrivals) if (arrivedText.includes(`"id":"${id}"`)) onArrival();
  });
  await once(response, 'data');
  const latencies: number[] = [];
  for (let n = 0; n < count; n++) {
    const data = { id: 'mch_bench', object: 'machine' };
    const { id, committedAt } = await commitEvent({ type: 'machine.online', data }, channel);
    await new Promise<void>((resolve) => {
      const onArrival = () => {
        latencies.push(performance.now() - committedAt);
        arrivals.delete(id);
        resolve();
      };
      if (arrivedText.includes(`"id":"${id}"`)) onArrival();
      else arrivals.set(id, onArrival);
    });
  }
  request.destroy();
  return latencies;
}

interface CommitterMessage {
  measure?: LatencyRequest;
  commit?: { sessionId: string; count: number };
}

process.on('message', ({ measure, commit }: CommitterMessage) => {
  const sendError = (error: Error) => process.send!({ error: error.message });
  if (measure) measureLatencies(measure).then((latencies) => process.send!({ latencies }), sendError);
  if (commit) commitSessionEvents(commit).then(() => process.send!({ committed: true }), sendError);
});
void dataSource.initialize().then(() => process.send!({ connected: true }));
