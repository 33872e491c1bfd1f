import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, selectEntityColumns, streamRows, UnitOfWork } from '../../core/database';
import { toMachineAgents } from './machine-agent.dto';
import { MachineEntity } from './machine.entity';
import type { MachineRow } from './machine.response.dto';
import type { ListMachinesQueryDto, RegisterMachineDto } from './machines.dto';

/** A name that a person has given to the device `d` goes before the one that it registers with. */
const MACHINE_NAME = 'CASE WHEN d.renamed_at IS NULL THEN m.name ELSE d.name END AS name';
/** Columns of a machine `m` with its device `d` and presence `p`. Capabilities are those of the last connection. */
const MACHINE_COLUMNS = `
  ${selectEntityColumns(MachineEntity, 'm', [
    'name',
    'state',
    'announcedState',
    'turnedAt',
    'capabilities',
    'lastSeenAt',
    'updatedAt',
  ])},
  ${MACHINE_NAME}, CASE WHEN p.online THEN 'online' ELSE 'offline' END AS state,
  coalesce(p.capabilities, '{}') AS capabilities, p.changed_at AS last_seen_at,
  greatest(m.updated_at, p.changed_at, d.renamed_at) AS updated_at`;
const JOIN_DEVICE = `JOIN devices d ON d.id = m.device_id LEFT JOIN device_presence p ON p.device_id = m.device_id`;
const SELECT_MACHINES = `SELECT ${MACHINE_COLUMNS} FROM machines m ${JOIN_DEVICE}`;

@Injectable()
export class MachinesRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Creates or updates the one machine of a device. `created` is true when the machine is new. */
  async upsertMachine(
    accountId: string,
    deviceId: string,
    id: string,
    { name, platform, arch, appVersion, agents = [] }: RegisterMachineDto,
    now: Date,
  ): Promise<MachineRow & { created: boolean }> {
    const [row] = await this.unitOfWork.queryRows<MachineRow & { created: boolean }>(
      `WITH m AS (
         INSERT INTO machines (id, account_id, device_id, name, platform, arch, app_version, agents,
           created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
         ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, platform = excluded.platform,
           arch = excluded.arch, app_version = excluded.app_version, agents = excluded.agents,
           updated_at = excluded.updated_at
         RETURNING *, (xmax = 0) AS created)
       SELECT ${MACHINE_COLUMNS}, m.created FROM m ${JOIN_DEVICE}`,
      [
        id,
        accountId,
        deviceId,
        name,
        platform,
        arch ?? null,
        appVersion ?? null,
        JSON.stringify(toMachineAgents(agents)),
        now,
      ],
    );
    return row!;
  }

  async find(accountId: string, id: string): Promise<MachineRow | undefined> {
    if (!isWellFormedId('mch', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<MachineRow>(
      `${SELECT_MACHINES} WHERE m.account_id = $1 AND m.id = $2`,
      [accountId, id],
    );
    return row;
  }

  findNames(accountId: string, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    const wellFormed = ids.filter((id) => isWellFormedId('mch', id));
    return this.unitOfWork.queryRows(
      `SELECT m.id, ${MACHINE_NAME} FROM machines m JOIN devices d ON d.id = m.device_id
        WHERE m.account_id = $1 AND m.id = ANY($2)`,
      [accountId, wellFormed],
    );
  }

  async findIdByDevice(deviceId: string): Promise<string | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ id: string }>('SELECT id FROM machines WHERE device_id = $1', [
      deviceId,
    ]);
    return row?.id;
  }

  scanByAccount(accountId: string): AsyncGenerator<MachineRow> {
    return streamRows(this.unitOfWork, `${SELECT_MACHINES} WHERE m.account_id = $1`, 'm', accountId);
  }

  findPage(accountId: string, query: ListMachinesQueryDto): Promise<Page<MachineRow>> {
    return this.pager.readPage<MachineRow>(
      {
        name: 'machines',
        ownerId: accountId,
        select: SELECT_MACHINES,
        key: creationOrderKey('m'),
        where: (_, bind) => [`m.account_id = ${bind(accountId)}`],
        filterConditions: { state: (value, bind) => `coalesce(p.online, false) = ${bind(value === 'online')}` },
      },
      query,
    );
  }

  findByDevices(deviceIds: string[]): Promise<MachineRow[]> {
    return this.unitOfWork.queryRows<MachineRow>(`${SELECT_MACHINES} WHERE m.device_id = ANY($1)`, [deviceIds]);
  }
}
