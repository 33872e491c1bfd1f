import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages by their turn. A migration of its own: its lock lets others read messages while the table is scanned, unlike
 * that of a new column.
 */
export class IndexMessageTurns1795392020000 implements MigrationInterface {
  name = 'IndexMessageTurns1795392020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX messages_turn_idx ON messages (session_id, turn_id, seq) WHERE turn_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX messages_turn_idx`);
  }
}
