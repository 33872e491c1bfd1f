import { CountField, IdField, ObjectField, TimeField } from '../common/http';

/** A row of `sessions`. */
export interface SessionRow {
  id: string;
  account_id: string;
  tag: string;
  state: 'active' | 'ended';
  host_device_id: string | null;
  machine_id: string | null;
  data_key_id: string;
  sealed_data_key: string;
  metadata: string | null;
  version: number;
  message_count: number;
  last_seq: number;
  message_bytes: string;
  created_at: Date;
  updated_at: Date;
  last_active_at: Date;
  ended_at: Date | null;
}

/** The session as the External API shows it (external-api.md §3, Records). */
export class SessionRecord {
  @IdField('ses')
  id!: string;

  @ObjectField('session')
  object!: 'session';

  /**
   * Messages can be sent into active ones alone.
   * @example active
   */
  state!: 'active' | 'ended';

  /**
   * The name that its device gave it, unique among the account's.
   * @example refactor-billing
   */
  tag!: string;

  /** The machine that it runs on, where it has said so. */
  @IdField('mch')
  machineId!: string | null;

  @CountField(12)
  messageCount!: number;

  /** `seq` of the newest message; 0: none yet. */
  @CountField(12)
  lastSeq!: number;

  /**
   * Whether this caller could read content now.
   * @example false
   */
  contentGranted!: boolean;

  @TimeField()
  createdAt!: number;

  @TimeField()
  updatedAt!: number;

  @TimeField()
  lastActiveAt!: number;

  @TimeField(null)
  endedAt!: number | null;
}

/** What the account's devices read back beyond that (device-api.md, Sync). */
export interface DeviceSessionRecord extends SessionRecord {
  version: number;
  metadata: string | null;
  dataKey: { kid: string; sealed: string };
  hostDeviceId: string | null;
}

export function toSessionRecord(row: SessionRow, contentGranted: boolean): SessionRecord {
  return {
    id: row.id,
    object: 'session',
    state: row.state,
    tag: row.tag,
    machineId: row.machine_id,
    messageCount: row.message_count,
    lastSeq: row.last_seq,
    contentGranted,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    lastActiveAt: row.last_active_at.getTime(),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

/** A device holds the account's keys itself, so no grant decides what it can read: `contentGranted` is false. */
export function toDeviceSessionRecord(row: SessionRow): DeviceSessionRecord {
  return {
    ...toSessionRecord(row, false),
    version: row.version,
    metadata: row.metadata,
    dataKey: { kid: row.data_key_id, sealed: row.sealed_data_key },
    hostDeviceId: row.host_device_id,
  };
}
