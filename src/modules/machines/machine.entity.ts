import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MachineAgentDto } from './machine-agent.dto';

@Entity('machines')
export class MachineEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** Device that registered the machine and handles its calls. */
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

  /** Reported by the relay, for display. Routing uses presence instead. */
  @Column('text')
  state!: 'online' | 'offline';

  /** State that was published last. It follows `state` after that has lasted. */
  @Column('text')
  announcedState!: 'online' | 'offline';

  /** When `state` last changed. */
  @Column('timestamptz', { nullable: true })
  turnedAt!: Date | null;

  @Column('text', { array: true })
  capabilities!: string[];

  /** Agents that can be started on the machine. */
  @Column('jsonb')
  agents!: MachineAgentDto[];

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastSeenAt!: Date | null;
}
