import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../../access/auth';
import type { SubscribedEvent, WebhookFormat, WebhookLifecycleState } from './webhook.response.dto';

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
  format!: WebhookFormat;

  /** Lower-case names of the headers that the requests also have, in order. */
  @Column('text', { array: true })
  headerNames!: string[];

  /** These headers as JSON, encrypted (signing-secret-cipher.ts). Null without headers. */
  @Column('bytea', { nullable: true })
  headers!: Buffer | null;

  @Column('text')
  state!: WebhookLifecycleState;

  @Column('text', { nullable: true })
  disabledReason!: string | null;

  /** Personal access token that created the webhook. The webhook outlives it. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  /** App that created the webhook. Revoking its authorization deletes the webhook. */
  @Column('text', { nullable: true })
  appId!: string | null;

  /** Scopes of the creator at creation. An app's scopes are resolved again for each delivery. */
  @Column('text', { array: true })
  scopes!: Scope[];

  /** Encrypted signing key (signing-secret-cipher.ts). */
  @Column('bytea')
  secret!: Buffer;

  /** Previous signing key. During a rotation, both keys sign. */
  @Column('bytea', { nullable: true })
  oldSecret!: Buffer | null;

  @Column('timestamptz', { nullable: true })
  oldSecretEndsAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
