import { Column, Entity, PrimaryColumn } from 'typeorm';

/** States in the order in which a message passes through them. The last five are final. */
export const QUEUED_MESSAGE_STATES = [
  'queued',
  'sending',
  'delivered',
  'failed',
  'unknown',
  'expired',
  'cancelled',
] as const;
export type QueuedMessageState = (typeof QUEUED_MESSAGE_STATES)[number];

/** A message that the service delivers when the host device of its session is online and its time has come. */
@Entity('queued_messages')
export class QueuedMessageEntity {
  /** `qmsg_` and the rest of the id of the request that queued the message. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  sessionId!: string;

  /** Place in the order of the session's messages, assigned under the session's lock. */
  @Column('integer')
  position!: number;

  /** Personal access token, or sign-in of an app, that queued the message; null for a device. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  @Column('text', { nullable: true })
  appId!: string | null;

  /** Account device that queued the message; null for a token. */
  @Column('text', { nullable: true })
  callerDeviceId!: string | null;

  @Column('text')
  state!: QueuedMessageState;

  /** Number of changes, from 1. */
  @Column('integer')
  version!: number;

  /** Text, encrypted by `QueuedTextCipher`; null once the message or its session has ended. */
  @Column('bytea', { nullable: true })
  sealedText!: Buffer | null;

  /** Bytes charged to the account's storage until the message ends. */
  @Column('integer')
  sizeBytes!: number;

  @Column('timestamptz', { nullable: true })
  notBefore!: Date | null;

  @Column('timestamptz')
  expiresAt!: Date;

  /**
   * When the next step is due: the first or next attempt, the check of an attempt in progress, or the expiry of a
   * message that waits for an earlier one.
   */
  @Column('timestamptz')
  dueAt!: Date;

  /** Attempts to send the message, including one in progress. */
  @Column('integer')
  attempts!: number;

  /** Whether a device of the account has connected since the last attempt began. */
  @Column('boolean')
  woken!: boolean;

  /** Instance that makes or made the last attempt. */
  @Column('text', { nullable: true })
  senderInstance!: string | null;

  /** Relayed call of the last attempt. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  /** When the attempt in progress counts as lost. */
  @Column('timestamptz', { nullable: true })
  leaseEndsAt!: Date | null;

  /** Turn that the message began, if the device has told. */
  @Column('text', { nullable: true })
  turnId!: string | null;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
