import type { TestDatabase } from './postgres';

/** Runs statements on the database. */
type QueryRunner = Pick<TestDatabase, 'query'>;

/** Inserts accounts with one machine each: a large table of which each account owns little. */
export async function insertAccountsWithMachines(database: QueryRunner, count: number): Promise<void> {
  await database.query(
    `INSERT INTO accounts (id, username, content_public_key, created_at)
     SELECT 'acc_' || ${toIdSql('i')}, 'user-' || i, '{}', now() FROM generate_series(1, $1::integer) i`,
    [count],
  );
  await database.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT 'dev_' || ${toIdSql('i')}, 'acc_' || ${toIdSql('i')}, 'machine', 'box', 'linux', '{}', '{}',
            'thumb-' || i, '', now()
       FROM generate_series(1, $1::integer) i`,
    [count],
  );
  await database.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT 'mch_' || ${toIdSql('i')}, 'acc_' || ${toIdSql('i')}, 'dev_' || ${toIdSql('i')}, 'box', 'linux',
            now(), now()
       FROM generate_series(1, $1::integer) i`,
    [count],
  );
  await database.query(
    `INSERT INTO device_presence (device_id, online, instance, epoch, capabilities, changed_at)
     SELECT 'dev_' || ${toIdSql('i')}, i % 2 = 0, 'an instance', 1, '{}', now() FROM generate_series(1, $1::integer) i`,
    [count],
  );
}

/** Inserts one session per second back from now. Every other one has ended, and the newest has the tag `tag-1`. */
export function insertManySessions(database: QueryRunner, accountId: string, count: number) {
  return database.query(
    `INSERT INTO sessions (id, account_id, tag, state, data_key_id, sealed_data_key, created_at, updated_at,
                           last_active_at)
     SELECT 'ses_0' || substr(md5($1 || i), 1, 25), $1, 'tag-' || i, (ARRAY['active', 'ended'])[1 + i % 2], 'k', 's',
            at, at, at
       FROM generate_series(1, $2::integer) i, LATERAL (SELECT now() - i * interval '1 second' AS at) t`,
    [accountId, count],
  );
}

/** Inserts one artifact per second back from now, of two media types. Every eleventh belongs to the session. */
export function insertManyArtifacts(database: QueryRunner, accountId: string, sessionId: string, count: number) {
  return database.query(
    `INSERT INTO artifacts (id, account_id, session_id, tag, media_type, data_key_id, sealed_data_key, content,
                            size_bytes, created_at, updated_at)
     SELECT 'art_' || ${toIdSql('i')}, $1, CASE WHEN i % 11 = 0 THEN $2 END, 'tag-' || i,
            (ARRAY['text/plain', 'image/png'])[1 + i % 2], 'k', 's', 'c', 1, at, at
       FROM generate_series(1, $3::integer) i, LATERAL (SELECT now() - i * interval '1 second' AS at) t`,
    [accountId, sessionId, count],
  );
}

/** Inserts the account's usage of the last `hours` hours: each of 10 tokens with each of 5 operations. */
export function insertManyUsageCounts(database: QueryRunner, accountId: string, hours: number) {
  return database.query(
    `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
     SELECT $1, date_trunc('hour', now()) - h * interval '1 hour', 'metadata', 'tok_' || ${toIdSql('t')}, 'op-' || o,
            9, 1, 0
       FROM generate_series(0, $2::integer - 1) h, generate_series(1, 10) t, generate_series(1, 5) o`,
    [accountId, hours],
  );
}

function toIdSql(number: string): string {
  return `lpad(to_hex(${number}), 26, '0')`;
}
