import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';

const CHECK = join(__dirname, '..', '..', 'tools', 'check-migrations.mjs');

describe('the check of migrations', () => {
  let folder: string;
  beforeEach(() => {
    folder = createTempFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function check(up: string[], { down = '', head = '', name = '1999999999999-change.ts' } = {}) {
    const queries = up.map((sql) => `await runner.query(\`${sql}\`);`).join(' ');
    const source = `export class Change {\n${head}\nasync up(runner) { ${queries} }
      async down(runner) { await runner.query(\`${down}\`); } }`;
    writeFileSync(join(folder, name), source);
    const { status, stderr } = spawnSync(process.execPath, [CHECK, folder], { encoding: 'utf8' });
    return { status, stderr };
  }

  it.each([
    ['CREATE INDEX i ON messages (id)', 'CREATE INDEX locks out writers'],
    ['ALTER TABLE messages ADD CONSTRAINT c CHECK (seq > 0)', 'ADD CONSTRAINT reads the whole table'],
    ['ALTER TABLE messages ADD FOREIGN KEY (x) REFERENCES turns', 'ADD CONSTRAINT reads the whole table'],
    ['ALTER TABLE messages ADD UNIQUE (x)', 'ADD UNIQUE builds an index'],
    ['ALTER TABLE messages ADD COLUMN x text REFERENCES turns', 'a constraint or generated value'],
    ['ALTER TABLE messages ADD COLUMN x timestamptz DEFAULT clock_timestamp()', 'a volatile default'],
    ['ALTER TABLE messages ALTER COLUMN seq TYPE bigint', 'ALTER TYPE may write the whole table'],
    ['ALTER TABLE messages ALTER seq SET NOT NULL', 'SET NOT NULL reads the whole table'],
    ['UPDATE messages SET seq = 1', 'one statement for all rows'],
    ['DELETE FROM messages WHERE seq = 1', 'one statement for all rows'],
    ['REINDEX TABLE messages', 'the statement locks its table'],
  ])('refuses %s', (sql, message) => {
    const { status, stderr } = check([sql]);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });

  it('refuses concurrent indexes in a transaction, and validation with the constraint', () => {
    const concurrent = `create = (runner) => createIndexConcurrently(runner, {});`;
    expect(check([], { head: concurrent }).stderr).toContain('needs transaction = false');
    expect(check([], { head: `transaction = false;\n${concurrent}` }).status).toBe(0);
    const add = 'ALTER TABLE messages ADD CONSTRAINT c CHECK (seq > 0) NOT VALID';
    const validate = 'ALTER TABLE messages VALIDATE CONSTRAINT c';
    expect(check([add, validate]).stderr).toContain('in a migration of its own');
    expect(check([add]).status).toBe(0);
    expect(check([validate]).status).toBe(0);
  });

  it('accepts what is quick, new tables, landed migrations and any way back', () => {
    const quick = [
      'ALTER TABLE messages ADD COLUMN x text',
      `ALTER TABLE messages ADD COLUMN y text NOT NULL DEFAULT 'z'`,
      'CREATE TABLE notes (id text PRIMARY KEY, account_id text REFERENCES accounts ON DELETE CASCADE)',
      'CREATE INDEX notes_list_idx ON notes (account_id, id)',
      'ALTER TABLE messages ADD CONSTRAINT u UNIQUE USING INDEX messages_x_idx',
    ];
    expect(check(quick, { down: 'UPDATE messages SET seq = 1' })).toEqual({ status: 0, stderr: '' });
    rmSync(join(folder, '1999999999999-change.ts'));
    expect(check(['UPDATE machines SET state = 1'], { name: '1795132816100-add-announcements.ts' }).status).toBe(0);
  });
});
