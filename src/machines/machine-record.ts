import { IdField, ObjectField, TimeField } from '../common/http';

/** A row of `machines`. */
export interface MachineRow {
  id: string;
  account_id: string;
  device_id: string;
  name: string;
  platform: string;
  arch: string | null;
  app_version: string | null;
  state: 'online' | 'offline';
  capabilities: string[];
  created_at: Date;
  updated_at: Date;
  last_seen_at: Date | null;
}

/** The machine as the API shows it (external-api.md §3, Records). */
export class MachineRecord {
  @IdField('mch')
  id!: string;

  @ObjectField('machine')
  object!: 'machine';

  /** @example build-box */
  name!: string;

  /** @example linux */
  platform!: string;

  /** @example x64 */
  arch!: string | null;

  /** @example 1.4.2 */
  appVersion!: string | null;

  /**
   * Whether its device is connected; calls reach online ones alone.
   * @example online
   */
  state!: 'online' | 'offline';

  /**
   * What its device declared that it serves: `machine.invoke`, `session.message`.
   * @example ["session.message", "machine.invoke"]
   */
  capabilities!: string[];

  @TimeField()
  createdAt!: number;

  @TimeField()
  updatedAt!: number;

  /** When its device was connected last; null: never. */
  @TimeField()
  lastSeenAt!: number | null;
}

export function toMachineRecord(row: MachineRow): MachineRecord {
  return {
    id: row.id,
    object: 'machine',
    name: row.name,
    platform: row.platform,
    arch: row.arch,
    appVersion: row.app_version,
    state: row.state,
    capabilities: row.capabilities,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    lastSeenAt: row.last_seen_at?.getTime() ?? null,
  };
}
