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

  /** Operation id of the OpenAPI document */
  @PrimaryColumn('text')
  operation!: string;

  @Column('integer')
  requests!: number;

  /** Of those, how many ended with status 400 or above. */
  @Column('integer')
  errors!: number;

  /** Of those, how many were 429. */
  @Column('integer')
  rateLimited!: number;
}
