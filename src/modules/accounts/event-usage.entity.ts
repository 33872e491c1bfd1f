import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an account has written in events and deliveries on one day (UTC), the last on which it wrote any. */
@Entity('event_usage')
export class EventUsageEntity {
  @PrimaryColumn('text')
  accountId!: string;

  @Column('date')
  day!: string;

  @Column('bigint')
  bytes!: number;
}
