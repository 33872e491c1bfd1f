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

  /** Name of the last registration. A rename of the device goes before it. */
  @Column('text')
  name!: string;

  @Column('text')
  platform!: string;

  @Column('text', { nullable: true })
  arch!: string | null;

  @Column('text', { nullable: true })
  appVersion!: string | null;

  /** Presence as the previous release stores it. The next release drops these five columns (docs/decisions/0057). */
  @Column({ type: 'text', insert: false })
  state?: string;

  @Column({ type: 'text', insert: false })
  announcedState?: string;

  @Column({ type: 'timestamptz', nullable: true, insert: false })
  turnedAt?: Date | null;

  @Column({ type: 'text', array: true, insert: false })
  capabilities?: string[];

  @Column({ type: 'timestamptz', nullable: true, insert: false })
  lastSeenAt?: Date | null;

  /** Agents that can be started on the machine. */
  @Column('jsonb')
  agents!: MachineAgentDto[];

  @Column('timestamptz')
  createdAt!: Date;

  /** Last registration. Changes of state are in `device_presence`. */
  @Column('timestamptz')
  updatedAt!: Date;
}
