import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PermissionOption, PermissionRequestState } from '@external-api/protocol';

/** Token or device whose decision the agent's device executed. */
export interface PermissionDecider {
  /** Personal access token; null for a device. */
  tokenId: string | null;
  /** Account device; null for a token. */
  deviceId: string | null;
}

/** An agent's question before it uses a tool. What it asks is encrypted. */
@Entity('permission_requests')
export class PermissionRequestEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  sessionId!: string;

  @Column('text')
  turnId!: string;

  /** Device of the turn. No other device may report the request. */
  @Column('text')
  deviceId!: string;

  /** Id chosen by the device, unique within the session. */
  @Column('text')
  localId!: string;

  /** Revision of the newest stored report, a counter of the device. */
  @Column('integer')
  revision!: number;

  @Column('text')
  kind!: string;

  /** In the agent's order. */
  @Column('jsonb')
  options!: PermissionOption[];

  @Column('text')
  keyId!: string;

  /** Content encrypted with the session's data key, as a compact JWE; null once it is deleted. */
  @Column('text', { nullable: true })
  content!: string | null;

  /** Bytes charged for the content, which its deletion releases. */
  @Column('integer')
  sizeBytes!: number;

  @Column('timestamptz')
  deleteContentAt!: Date;

  /** As reported. A pending request whose time is up is shown as expired. */
  @Column('text')
  state!: PermissionRequestState;

  /** Selected option; null if none was. */
  @Column('text', { nullable: true })
  optionId!: string | null;

  @Column('jsonb', { nullable: true })
  decidedBy!: PermissionDecider | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;
}
