import { ApiProperty } from '@nestjs/swagger';
import { IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import { MachineAgentDto } from './machine-agent.dto';
import type { MachineEntity } from './machine.entity';
import { EventData } from '../../core/events';

/** A row of `machines` with the presence of its device. */
export type MachineRow = RowOf<Omit<MachineEntity, 'state' | 'announcedState' | 'turnedAt' | 'capabilities'>> & {
  state: 'online' | 'offline';
  capabilities: string[];
  last_seen_at: Date | null;
};

/** Machine as returned by the API (docs/protocol/external-api.md#records). */
@EventData()
export class MachineDto {
  @IdField('mch')
  id!: string;

  @ObjectTypeField('machine')
  object!: 'machine';

  /** @example build-box */
  name!: string;

  /** @example linux */
  platform!: string;

  /** @example x64 */
  arch!: string | null;

  /** @example 1.4.2 */
  appVersion!: string | null;

  /**
   * Whether its device is connected. Only online machines receive calls.
   * @example online
   */
  @ApiProperty({ type: String, enum: ['offline', 'online'] })
  state!: 'online' | 'offline';

  /**
   * Calls that its device serves: `session.message`, `session.cancel`, `session.permission`, `session.start`,
   * `session.end`, `agent.sessions`, `machine.invoke`, `invocation`; and abilities such as `session.grant`,
   * `session.options` and `session.busy`.
   * @example ["session.message", "machine.invoke"]
   */
  capabilities!: string[];

  /** Agents that can be started on the machine. */
  agents!: MachineAgentDto[];

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  updatedAt!: number;

  /** When its device was last connected; null if it never was. */
  @UnixTimeField()
  lastSeenAt!: number | null;
}

export function toMachineDto(row: MachineRow): MachineDto {
  return {
    id: row.id,
    object: 'machine',
    name: row.name,
    platform: row.platform,
    arch: row.arch,
    appVersion: row.app_version,
    state: row.state,
    capabilities: row.capabilities,
    // Rows of earlier releases have no options.
    agents: row.agents.map((agent) => ({ ...agent, options: agent.options ?? [] })),
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    lastSeenAt: row.last_seen_at?.getTime() ?? null,
  };
}
