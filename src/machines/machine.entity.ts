import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('machines')
export class MachineEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** The device that registered it and answers for it. */
  @Column('text')
  deviceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  platform!: string;

  @Column('text', { nullable: true })
  arch!: string | null;

  @Column('text', { nullable: true })
  appVersion!: string | null;

  /** Reported by the relay, for reading; routing has its own presence. */
  @Column('text')
  state!: 'online' | 'offline';

  /** The state that was told of last: it follows once the other one has lasted. */
  @Column('text')
  announcedState!: 'online' | 'offline';

  /** When `state` last changed. */
  @Column('timestamptz', { nullable: true })
  turnedAt!: Date | null;

  @Column('text', { array: true })
  capabilities!: string[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastSeenAt!: Date | null;
}
