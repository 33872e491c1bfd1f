import type { Database } from './postgres';

/** Whatever puts statements to the database. */
type Writer = Pick<Database, 'query'>;

/** Accounts with a machine each, so that a table is large while each account's part of it is small. */
export async function insertAccountsWithMachines(database: Writer, count: number): Promise<void> {
  await database.query(
    `INSERT INTO accounts (id, username, content_public_key, created_at)
     SELECT 'acc_' || ${id('i')}, 'user-' || i, '{}', now() FROM generate_series(1, $1::integer) i`,
    [count],
  );
  await database.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT 'dev_' || ${id('i')}, 'acc_' || ${id('i')}, 'machine', 'box', 'linux', '{}', '{}', 'thumb-' || i, '', now()
       FROM generate_series(1, $1::integer) i`,
    [count],
  );
  await database.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, state, created_at, updated_at)
     SELECT 'mch_' || ${id('i')}, 'acc_' || ${id('i')}, 'dev_' || ${id('i')}, 'box', 'linux',
            (ARRAY['online', 'offline'])[1 + i % 2], now(), now()
       FROM generate_series(1, $1::integer) i`,
    [count],
  );
}

/** One session a second, back from now, every other one ended; the newest has the tag `tag-1`. */
export function insertManySessions(database: Writer, accountId: string, count: number) {
  return database.query(
    `INSERT INTO sessions (id, account_id, tag, state, data_key_id, sealed_data_key, created_at, updated_at,
                           last_active_at)
     SELECT 'ses_0' || substr(md5($1 || i), 1, 25), $1, 'tag-' || i, (ARRAY['active', 'ended'])[1 + i % 2], 'k', 's',
            at, at, at
       FROM generate_series(1, $2::integer) i, LATERAL (SELECT now() - i * interval '1 second' AS at) t`,
    [accountId, count],
  );
}

/** One artifact a second, back from now, of two media types; every eleventh belongs to the session. */
export function insertManyArtifacts(database: Writer, accountId: string, sessionId: string, count: number) {
  return database.query(
    `INSERT INTO artifacts (id, account_id, session_id, tag, media_type, data_key_id, sealed_data_key, content,
                            size_bytes, created_at, updated_at)
     SELECT 'art_' || ${id('i')}, $1, CASE WHEN i % 11 = 0 THEN $2 END, 'tag-' || i,
            (ARRAY['text/plain', 'image/png'])[1 + i % 2], 'k', 's', 'c', 1, at, at
       FROM generate_series(1, $3::integer) i, LATERAL (SELECT now() - i * interval '1 second' AS at) t`,
    [accountId, sessionId, count],
  );
}

/** The account's calls of `hours` hours back from this one: each of 10 tokens with each of 5 operations. */
export function insertManyUsageCounts(database: Writer, accountId: string, hours: number) {
  return database.query(
    `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
     SELECT $1, date_trunc('hour', now()) - h * interval '1 hour', 'metadata', 'tok_' || ${id('t')}, 'op-' || o, 9, 1, 0
       FROM generate_series(0, $2::integer - 1) h, generate_series(1, 10) t, generate_series(1, 5) o`,
    [accountId, hours],
  );
}

function id(number: string): string {
  return `lpad(to_hex(${number}), 26, '0')`;
}
