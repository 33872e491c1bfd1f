import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../auth';
import type { SubscribedEvent, WebhookState } from './webhook-record';

@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: SubscribedEvent[];

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  state!: WebhookState;

  @Column('text', { nullable: true })
  disabledReason!: string | null;

  /** The personal access token that made it; it outlives that. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  /** The app that made it, and whose authorization it ends with. */
  @Column('text', { nullable: true })
  appId!: string | null;

  /** Of its creator when it was made; an app's are asked for anew each time. */
  @Column('text', { array: true })
  scopes!: Scope[];

  /** The signing key, sealed (secret-vault.ts). */
  @Column('bytea')
  secret!: Buffer;

  /** The one before, until it ends: during a rotation both sign. */
  @Column('bytea', { nullable: true })
  oldSecret!: Buffer | null;

  @Column('timestamptz', { nullable: true })
  oldSecretEndsAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
