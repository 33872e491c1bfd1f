import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Create{{Items}}{{epoch}} implements MigrationInterface {
  name = 'Create{{Items}}{{epoch}}';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE {{items_table}} (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        name text NOT NULL,
{{#write}}
        version integer NOT NULL,
        updated_at timestamptz(3) NOT NULL,
{{/write}}
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX {{items_table}}_list_idx ON {{items_table}} (account_id, created_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE {{items_table}}`);
  }
}
