import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Calls of one token to one operation in one hour (UTC). */
@Entity('usage_counts')
export class UsageCountEntity {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('timestamptz')
  hour!: Date;

  @PrimaryColumn('text')
  bucket!: string;

  @PrimaryColumn('text')
  tokenId!: string;

  /** Operation id in the OpenAPI document. */
  @PrimaryColumn('text')
  operation!: string;

  @Column('integer')
  requests!: number;

  /** Number of requests with status 400 or above. */
  @Column('integer')
  errors!: number;

  /** Number of requests with status 429. */
  @Column('integer')
  rateLimited!: number;
}
