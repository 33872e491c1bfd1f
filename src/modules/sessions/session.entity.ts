import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionContext } from '@external-api/protocol';

/** Agent that works in a session, as its device describes it. */
export interface SessionAgent {
  name: string;
  title: string;
  /** null if the agent has no modes */
  mode: string | null;
}

/** What the session's agent does, derived from the open turns. */
export type SessionActivity = 'idle' | 'running' | 'requires_action';

/** Properties that only devices read, or the service itself. Lists of the External API leave their columns out. */
export const SESSION_DEVICE_PROPERTIES = [
  'accountId',
  'hostDeviceId',
  'dataKeyId',
  'sealedDataKey',
  'metadata',
  'version',
  'messageBytes',
  'ownBytes',
  'eventPosition',
] as const satisfies readonly (keyof SessionEntity)[];

@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  tag!: string;

  @Column('text')
  state!: 'active' | 'ended';

  @Column('text', { nullable: true })
  hostDeviceId!: string | null;

  @Column('text', { nullable: true })
  machineId!: string | null;

  @Column('text')
  dataKeyId!: string;

  /** Data key sealed to the account's content key, as a compact JWE. */
  @Column('text')
  sealedDataKey!: string;

  /** Compact JWE under the data key, bound to `version`. */
  @Column('text', { nullable: true })
  metadata!: string | null;

  /** Version of the metadata, from 1. */
  @Column('integer')
  version!: number;

  @Column('integer')
  messageCount!: number;

  @Column('integer')
  lastSeq!: number;

  /**
   * Bytes of the messages, charged to the account's storage in addition to `ownBytes`. Deletion releases both. The
   * driver returns a bigint as a string.
   */
  @Column('bigint')
  messageBytes!: string;

  /** Bytes charged for the row itself; 0 if not yet counted. */
  @Column('integer')
  ownBytes!: number;

  /** Position of the session's last event in `event_log`, counted from 1. */
  @Column('bigint')
  eventPosition!: string;

  @Column('text')
  activity!: SessionActivity;

  @Column('jsonb', { nullable: true })
  agent!: SessionAgent | null;

  /** As the newest report of a turn says; null if none has. */
  @Column('jsonb', { nullable: true })
  context!: SessionContext | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('timestamptz')
  lastActiveAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
