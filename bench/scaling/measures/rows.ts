import type { Lab } from '../lab';

const TABLES: [key: string, table: string, of: string][] = [
  ['RelayCall', 'relay_calls', 'of one audited call'],
  ['KeyedCall', 'idempotency_keys', 'of a key and the answer that it keeps for 24 hours'],
  ['Message', 'messages', 'of a message of 1,024 bytes of ciphertext'],
  ['Session', 'sessions', 'of a session without metadata'],
  ['UsageCount', 'usage_counts', 'of one token, operation and hour'],
  ['Delivery', 'webhook_deliveries', 'of a delivery of message.created with one message'],
  ['Attempt', 'webhook_attempts', 'of one try, in the partition of its day'],
  ['OutboxEvent', 'seen_outbox', 'of one event, in a copy of webhook_outbox: its rows go within a second'],
];

/** Call before anything is written. */
export async function keepOutbox({ postgres }: Lab): Promise<void> {
  await postgres.query('CREATE TABLE seen_outbox (LIKE webhook_outbox INCLUDING ALL)');
  await postgres.query(`CREATE FUNCTION keep_outbox() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN INSERT INTO seen_outbox SELECT NEW.*; RETURN NULL; END'`);
}

/** While it stands, each outbox row is copied, which costs: nothing is measured meanwhile. */
export async function copyOutbox({ postgres }: Lab): Promise<void> {
  await postgres.query(`CREATE TRIGGER keep AFTER INSERT ON webhook_outbox
    FOR EACH ROW EXECUTE FUNCTION keep_outbox()`);
}

export type Sizes = Map<string, { bytes: number; rows: number }>;

export async function readSizes({ postgres }: Lab): Promise<Sizes> {
  const sizes: Sizes = new Map();
  for (const [, table] of TABLES) sizes.set(table, await postgres.sizeOf(table));
  return sizes;
}

/** What a row of each table takes with its share of the indexes, by all that were written since `before`. */
export async function measureRows(lab: Lab, before: Sizes): Promise<void> {
  const after = await readSizes(lab);
  for (const [key, table, of] of TABLES) {
    const [was, is] = [before.get(table)!, after.get(table)!];
    const rows = is.rows - was.rows;
    lab.figures.add(
      `postgres.bytesPer${key}`,
      (is.bytes - was.bytes) / rows,
      'B',
      `${table}: heap, indexes and TOAST after VACUUM FULL, which is without bloat, over ${rows.toLocaleString('en')} rows; ${of}`,
    );
  }
}
