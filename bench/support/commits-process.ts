/**
 * Runs transactions of the service's `UnitOfWork` that append a message. On `{commit: 'with-event'}` each publishes its
 * event, on `{commit: 'without-event'}` none does. Reports the commits per second.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { EventPublisher } from '../../src/core/events';
import { EventOutboxService } from '../../src/core/events/event-outbox.service';
import { OutboxRepository } from '../../src/core/events/outbox.repository';
import { UnitOfWork } from '../../src/core/database';
import { EVENT_PAYLOAD } from './webhook-endpoint';

const WRITERS = 8;
const MEASURE_MS = 2_000;
const accountId = process.env.ACCOUNT_ID!;
const data = (JSON.parse(EVENT_PAYLOAD) as { data: object }).data;

const dataSource = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  installExtensions: false,
  extra: { max: WRITERS },
});
const unitOfWork = new UnitOfWork(dataSource);
const eventPublisher = new EventPublisher(
  unitOfWork,
  new EventOutboxService(unitOfWork, new OutboxRepository(unitOfWork), new Clock()),
);

/** Appends a message, the most frequent transaction. */
function commitMessage(hasEvent: boolean, sessionId: string): Promise<void> {
  return unitOfWork.runInTransaction(async () => {
    const id = randomBytes(13).toString('hex');
    await unitOfWork.queryRows('SELECT * FROM sessions WHERE id = $1 FOR UPDATE', [sessionId]);
    await unitOfWork.queryRows('SELECT id FROM messages WHERE session_id = $1 AND local_id = ANY($2)', [
      sessionId,
      [id],
    ]);
    await unitOfWork.queryRows(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_' || $1, id, last_seq + 1, $1, 'user', 'k', 'c', 1, now() FROM sessions WHERE id = $2`,
      [id, sessionId],
    );
    await unitOfWork.queryRows(
      `UPDATE sessions SET last_seq = last_seq + 1, message_count = message_count + 1, updated_at = now()
        WHERE id = $1`,
      [sessionId],
    );
    if (hasEvent) eventPublisher.publishEvent({ type: 'session.created', accountId, data });
  });
}

async function insertSession(): Promise<string> {
  const id = `ses_${randomBytes(13).toString('hex')}`;
  await unitOfWork.queryRows(
    `INSERT INTO sessions (id, account_id, tag, data_key_id, sealed_data_key, created_at, updated_at, last_active_at)
     VALUES ($1, $2, $1, 'k', 's', now(), now(), now())`,
    [id, accountId],
  );
  return id;
}

async function measureCommitRate(hasEvent: boolean): Promise<number> {
  const until = performance.now() + MEASURE_MS;
  let count = 0;
  const writer = async () => {
    const sessionId = await insertSession();
    for (; performance.now() < until; count++) await commitMessage(hasEvent, sessionId);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return (count * 1_000) / MEASURE_MS;
}

process.on('message', ({ commit: kind }: { commit?: 'with-event' | 'without-event' }) => {
  if (kind) void measureCommitRate(kind === 'with-event').then((rate) => process.send!({ rate }));
});
void dataSource.initialize().then(() => process.send!({ connected: true }));
