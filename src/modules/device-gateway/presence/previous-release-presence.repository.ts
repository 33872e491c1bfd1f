import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';

/**
 * Columns in which the previous release reads presence, filled while an instance of it runs. The next release deletes
 * this class with the columns (docs/decisions/0057).
 */
@Injectable()
export class PreviousReleasePresenceRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Copies the presence of a device to its columns. Locks the device before the machine, as the previous release does,
   * and reads presence only then: a copy of what it was before a write of the previous release would undo this.
   * A changed state counts as published, since this release publishes it.
   */
  async copyPresence(deviceId: string): Promise<void> {
    await this.unitOfWork.queryRows('SELECT 1 FROM devices WHERE id = $1 FOR NO KEY UPDATE', [deviceId]);
    await this.unitOfWork.queryRows(
      `UPDATE devices d SET online = p.online AND d.revoked_at IS NULL, presence_instance = p.instance,
              presence_epoch = p.epoch, presence_capabilities = p.capabilities,
              last_seen_at = greatest(d.last_seen_at, p.changed_at)
         FROM device_presence p WHERE d.id = $1 AND p.device_id = $1 AND d.presence_epoch <= p.epoch`,
      [deviceId],
    );
    await this.unitOfWork.queryRows(
      `UPDATE machines m SET state = p.state, capabilities = p.capabilities,
              announced_state = CASE m.state WHEN p.state THEN m.announced_state ELSE p.state END,
              last_seen_at = p.changed_at, turned_at = p.changed_at, updated_at = greatest(m.updated_at, p.changed_at)
         FROM (SELECT CASE WHEN online THEN 'online' ELSE 'offline' END AS state, capabilities, changed_at
                 FROM device_presence WHERE device_id = $1) p
        WHERE m.device_id = $1`,
      [deviceId],
    );
  }

  /**
   * Returns devices that are online in their columns only: they left while no instance read these. In the order of
   * their ids, from the first one behind `after`.
   */
  async findOutdatedDevices(after: string, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT d.id FROM devices d JOIN device_presence p ON p.device_id = d.id
        WHERE d.id > $1 AND d.online AND NOT p.online AND d.presence_epoch <= p.epoch ORDER BY d.id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }
}
