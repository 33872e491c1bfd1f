import { summarizeStatement } from './statement-spans';

describe('summarizeStatement', () => {
  it.each([
    ['SELECT id FROM machines WHERE account_id = $1', 'SELECT', 'machines'],
    ['\n  select count(*) from "sessions"', 'SELECT', 'sessions'],
    ['INSERT INTO webhook_outbox (id) SELECT id FROM other', 'INSERT', 'webhook_outbox'],
    ['UPDATE ONLY devices SET online = $1', 'UPDATE', 'devices'],
    ['WITH taken AS (DELETE FROM webhook_outbox RETURNING id) SELECT * FROM taken', 'DELETE', 'webhook_outbox'],
    ['START TRANSACTION', 'START TRANSACTION', undefined],
    ['COMMIT', 'COMMIT', undefined],
    ["SET LOCAL lock_timeout = '5s'", 'SET', undefined],
    ['', 'OTHER', undefined],
  ])('of %s is %s %s', (sql, operation, table) => {
    expect(summarizeStatement(sql)).toEqual({ operation, table });
  });
});
