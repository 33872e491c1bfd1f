import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import type { MachineStateChange } from '../../machines';
import type { DevicePresence, StaleDevicePresence } from '../../relay-bus';

/** Time without a change after which the previous release has published a state, if it was to publish it. */
const UNPUBLISHED_SECONDS = 15;

/**
 * Queues the publication of turned machines, or takes it back if a machine is again in the state that was published
 * last. `presence` contains the written rows. The writer holds their locks, which claims of changes need first.
 */
const QUEUE_STATE_CHANGES = `
  turned AS (
    SELECT m.account_id, m.id, p.device_id, p.online <> p.announced_online AS unpublished, p.changed_at
      FROM presence p JOIN machines m ON m.device_id = p.device_id WHERE p.online <> p.was_online),
  queued AS (
    INSERT INTO machine_state_changes (device_id, changed_at)
    SELECT device_id, changed_at FROM turned WHERE unpublished
    ON CONFLICT (device_id) DO UPDATE SET changed_at = excluded.changed_at),
  unqueued AS (
    DELETE FROM machine_state_changes c USING turned t WHERE c.device_id = t.device_id AND NOT t.unpublished)`;

const SELECT_TURNED = `SELECT account_id AS "accountId", id AS "machineId", device_id AS "deviceId" FROM turned`;

/**
 * Presence of devices as readers see it. A statement changes one row in place: no index contains a column that it
 * changes (docs/decisions/0057). Each write returns the machines that it has turned.
 */
@Injectable()
export class PresenceRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Numbers connections in the order of their handshakes. The sequence is in PostgreSQL, so it survives restarts of
   * Redis.
   */
  async allocateEpoch(): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ epoch: string }>(`SELECT nextval('presence_epochs') AS epoch`);
    return Number(row!.epoch);
  }

  /** Changes nothing if a newer connection is recorded or the device is revoked. */
  setOnline(
    deviceId: string,
    { instance, epoch, capabilities }: DevicePresence,
    at: Date,
  ): Promise<MachineStateChange[]> {
    return this.unitOfWork.queryRows(
      `WITH presence AS (
         INSERT INTO device_presence AS p (device_id, online, instance, epoch, capabilities, changed_at)
         SELECT id, true, $2, $3, $4, $5 FROM devices WHERE id = $1 AND revoked_at IS NULL
         ON CONFLICT (device_id) DO UPDATE SET online = true, was_online = p.online, instance = excluded.instance,
           epoch = excluded.epoch, capabilities = excluded.capabilities, changed_at = excluded.changed_at
          WHERE p.epoch <= excluded.epoch
         RETURNING device_id, online, was_online, announced_online, changed_at),
       ${QUEUE_STATE_CHANGES} ${SELECT_TURNED}`,
      [deviceId, instance, epoch, capabilities, at],
    );
  }

  /** Changes nothing if a newer connection is recorded. */
  setOffline(deviceId: string, epoch: number, at: Date): Promise<MachineStateChange[]> {
    return this.unitOfWork.queryRows(
      `WITH presence AS (
         UPDATE device_presence SET online = false, was_online = true, changed_at = $3
          WHERE device_id = $1 AND epoch <= $2 AND online
         RETURNING device_id, online, was_online, announced_online, changed_at),
       ${QUEUE_STATE_CHANGES} ${SELECT_TURNED}`,
      [deviceId, epoch, at],
    );
  }

  /**
   * The devices may have been online until now, for all that anyone knows. Reads the whole table. Leaves out instances
   * that have registered again.
   */
  async markInstancesOffline(
    instances: string[],
    at: Date,
  ): Promise<{ devices: StaleDevicePresence[]; turned: MachineStateChange[] }> {
    const rows = await this.unitOfWork.queryRows<StaleRow>(
      `WITH presence AS (
         UPDATE device_presence SET online = false, was_online = true, changed_at = $2
          WHERE online AND instance = ANY($1) AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = instance)
         RETURNING device_id, online, was_online, announced_online, changed_at, instance, epoch),
       ${QUEUE_STATE_CHANGES}
       SELECT d.account_id AS "accountId", p.device_id AS "deviceId", p.instance, p.epoch, t.id AS "machineId"
         FROM presence p JOIN devices d ON d.id = p.device_id LEFT JOIN turned t ON t.device_id = p.device_id`,
      [instances, at],
    );
    return {
      devices: rows.map(({ accountId, deviceId, instance, epoch }) => {
        return { accountId, deviceId, instance, epoch: Number(epoch) };
      }),
      turned: rows.flatMap(({ accountId, deviceId, machineId }) =>
        machineId === null ? [] : [{ accountId, deviceId, machineId }],
      ),
    };
  }

  /**
   * Turns a machine that has registered while its device was connected. The caller's transaction must begin after the
   * registration: a connection that is being recorded, and doesn't see the machine, then ends before this, because the
   * first statement waits for its lock.
   */
  async setRegisteredOnline(deviceId: string, at: Date): Promise<MachineStateChange[]> {
    await this.unitOfWork.queryRows(
      `INSERT INTO device_presence (device_id, online, epoch, capabilities)
       SELECT id, false, 0, '{}' FROM devices WHERE id = $1
       ON CONFLICT (device_id) DO UPDATE SET device_id = excluded.device_id`,
      [deviceId],
    );
    return this.unitOfWork.queryRows(
      `WITH presence AS (
         SELECT device_id FROM device_presence
          WHERE device_id = $1 AND online AND NOT announced_online FOR UPDATE),
       queued AS (
         INSERT INTO machine_state_changes (device_id, changed_at)
         SELECT device_id, $2::timestamptz FROM presence ON CONFLICT DO NOTHING RETURNING device_id)
       SELECT m.account_id AS "accountId", m.id AS "machineId", m.device_id AS "deviceId"
         FROM queued q JOIN machines m ON m.device_id = q.device_id`,
      [deviceId, at],
    );
  }

  /**
   * Claims the state changes that have lasted since `changedBefore`. Each is claimed once. Locks presence before
   * changes, as the writers of presence do.
   * @returns devices whose machines are in another state than the published one, locked in this state
   */
  async claimStateChanges(changedBefore: Date, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ deviceId: string }>(
      `WITH due AS (
         SELECT p.device_id FROM machine_state_changes c JOIN device_presence p ON p.device_id = c.device_id
          WHERE c.changed_at <= $1 ORDER BY c.changed_at LIMIT $2 FOR UPDATE OF p SKIP LOCKED),
       removed AS (
         DELETE FROM machine_state_changes c USING due
          WHERE c.device_id = due.device_id AND c.changed_at <= $1 RETURNING c.device_id)
       UPDATE device_presence p SET announced_online = p.online FROM removed
        WHERE p.device_id = removed.device_id AND p.announced_online <> p.online
       RETURNING p.device_id AS "deviceId"`,
      [changedBefore, limit],
    );
    return rows.map(({ deviceId }) => deviceId);
  }

  /** Returns instances that hold connections and are not registered: an instance of an older release ended them. */
  async findUnregisteredInstances(): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ instance: string }>(
      `SELECT DISTINCT instance FROM device_presence p
        WHERE online AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = p.instance)`,
    );
    return rows.map(({ instance }) => instance);
  }

  /** Queues states that the previous release has left unpublished. Reads the whole table. */
  async queueUnpublishedStates(): Promise<void> {
    await this.unitOfWork.queryRows(
      `INSERT INTO machine_state_changes (device_id, changed_at)
       SELECT p.device_id, p.changed_at FROM device_presence p JOIN machines m ON m.device_id = p.device_id
        WHERE p.online <> p.announced_online
          AND p.changed_at < clock_timestamp() - ${UNPUBLISHED_SECONDS} * interval '1 second'
       ON CONFLICT DO NOTHING`,
    );
  }
}

type StaleRow = Omit<StaleDevicePresence, 'epoch'> & { epoch: string; machineId: string | null };
