/**
 * Transactions of the service's own `UnitOfWork`, as one that appends a message makes them. On `{commit: 'told'}` each records
 * its event, on `{commit: 'untold'}` none does; it says how many were committed in a second.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { Changes } from '../../src/events';
import { Outbox } from '../../src/events/outbox';
import { OutboxRepository } from '../../src/events/outbox.repository';
import { UnitOfWork } from '../../src/persistence';
import { PAYLOAD } from './webhooks';

const WRITERS = 8;
const FOR_MS = 2_000;
const accountId = process.env.ACCOUNT_ID!;
const data = (JSON.parse(PAYLOAD) as { data: object }).data;

const dataSource = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  installExtensions: false,
  extra: { max: WRITERS },
});
const unitOfWork = new UnitOfWork(dataSource);
const changes = new Changes(unitOfWork, new Outbox(unitOfWork, new OutboxRepository(unitOfWork), new Clock()));

/** What appending a message does, which is what most transactions do. */
function commit(isTold: boolean, sessionId: string): Promise<void> {
  return unitOfWork.run(async () => {
    const id = randomBytes(13).toString('hex');
    await unitOfWork.query('SELECT * FROM sessions WHERE id = $1 FOR UPDATE', [sessionId]);
    await unitOfWork.query('SELECT id FROM messages WHERE session_id = $1 AND local_id = ANY($2)', [sessionId, [id]]);
    await unitOfWork.query(
      `INSERT INTO messages (id, session_id, seq, local_id, role, key_id, content, size_bytes, created_at)
       SELECT 'msg_' || $1, id, last_seq + 1, $1, 'user', 'k', 'c', 1, now() FROM sessions WHERE id = $2`,
      [id, sessionId],
    );
    await unitOfWork.query(
      'UPDATE sessions SET last_seq = last_seq + 1, message_count = message_count + 1, updated_at = now() WHERE id = $1',
      [sessionId],
    );
    if (isTold) changes.publish({ type: 'session.created', accountId, data });
  });
}

async function openSession(): Promise<string> {
  const id = `ses_${randomBytes(13).toString('hex')}`;
  await unitOfWork.query(
    `INSERT INTO sessions (id, account_id, tag, data_key_id, sealed_data_key, created_at, updated_at, last_active_at)
     VALUES ($1, $2, $1, 'k', 's', now(), now(), now())`,
    [id, accountId],
  );
  return id;
}

async function rate(isTold: boolean): Promise<number> {
  const until = performance.now() + FOR_MS;
  let count = 0;
  const writer = async () => {
    const sessionId = await openSession();
    for (; performance.now() < until; count++) await commit(isTold, sessionId);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return (count * 1_000) / FOR_MS;
}

process.on('message', ({ commit: how }: { commit?: 'told' | 'untold' }) => {
  if (how) void rate(how === 'told').then((found) => process.send!({ rate: found }));
});
void dataSource.initialize().then(() => process.send!({ connected: true }));
