import { Column, Entity, PrimaryColumn } from 'typeorm';

export const MESSAGE_ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

@Entity('messages')
export class MessageEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  sessionId!: string;

  /** Sequence number within the session, from 1 without gaps. */
  @Column('integer')
  seq!: number;

  /** Id chosen by the writing device, which identifies repeated messages. */
  @Column('text')
  localId!: string;

  @Column('text')
  role!: MessageRole;

  @Column('text')
  keyId!: string;

  /** Content encrypted with the session's data key, as a compact JWE. */
  @Column('text')
  content!: string;

  @Column('integer')
  sizeBytes!: number;

  /** Turn that the message belongs to. */
  @Column('text', { nullable: true })
  turnId!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
