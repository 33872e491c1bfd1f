import { Column, Entity, PrimaryColumn } from 'typeorm';

export const MESSAGE_ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

@Entity('messages')
export class MessageEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  sessionId!: string;

  /** From 1, without gaps within its session. */
  @Column('integer')
  seq!: number;

  /** The writing device's own name for it: the same again is the same message. */
  @Column('text')
  localId!: string;

  @Column('text')
  role!: MessageRole;

  @Column('text')
  keyId!: string;

  /** Compact JWE under the session's data key. */
  @Column('text')
  content!: string;

  @Column('integer')
  sizeBytes!: number;

  @Column('timestamptz')
  createdAt!: Date;
}
