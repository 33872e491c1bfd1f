import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For retention alone: rows lie about in the order of their hours, so this is small and costs next to nothing to keep. */
export class AddUsageAgeIndex1795132821000 implements MigrationInterface {
  name = 'AddUsageAgeIndex1795132821000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX usage_counts_age_idx ON usage_counts USING brin (hour)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX usage_counts_age_idx`);
  }
}
