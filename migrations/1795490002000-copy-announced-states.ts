import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records which states the previous release has published. It holds locks of machines meanwhile, which its other
 * transactions take after those of presence, so that a locked row is skipped.
 */
export class CopyAnnouncedStates1795490002000 implements MigrationInterface {
  name = 'CopyAnnouncedStates1795490002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION copy_announced_state() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE device_presence SET announced_online = NEW.announced_state = 'online'
         WHERE device_id = ANY(ARRAY(
           SELECT device_id FROM device_presence WHERE device_id = NEW.device_id FOR UPDATE SKIP LOCKED));
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER machines_announced_state AFTER UPDATE OF announced_state ON machines
        FOR EACH ROW WHEN (OLD.state = NEW.state AND OLD.announced_state <> NEW.announced_state)
        EXECUTE FUNCTION copy_announced_state()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER machines_announced_state ON machines`);
    await runner.query(`DROP FUNCTION copy_announced_state()`);
  }
}
