import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import { toMachineAgents } from './machine-agent.dto';
import type { MachineRow } from './machine.response.dto';
import type { ListMachinesQueryDto, RegisterMachineDto } from './machines.dto';

interface MachineOwnerRow {
  id: string;
  account_id: string;
}

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
      `INSERT INTO machines (id, account_id, device_id, name, platform, arch, app_version, agents,
         created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, platform = excluded.platform,
         arch = excluded.arch, app_version = excluded.app_version, agents = excluded.agents,
         updated_at = excluded.updated_at
       RETURNING *, (xmax = 0) AS created`,
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
      'SELECT * FROM machines WHERE account_id = $1 AND id = $2',
      [accountId, id],
    );
    return row;
  }

  async findByDevice(deviceId: string): Promise<MachineRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<MachineRow>('SELECT * FROM machines WHERE device_id = $1', [
      deviceId,
    ]);
    return row;
  }

  scanByAccount(accountId: string): AsyncGenerator<MachineRow> {
    return streamRows(this.unitOfWork, 'SELECT m.* FROM machines m WHERE m.account_id = $1', 'm', accountId);
  }

  findPage(accountId: string, query: ListMachinesQueryDto): Promise<Page<MachineRow>> {
    return this.pager.readPage<MachineRow>(
      {
        name: 'machines',
        ownerId: accountId,
        select: 'SELECT m.* FROM machines m',
        key: creationOrderKey('m'),
        where: ({ state }, bind) => [
          `m.account_id = ${bind(accountId)}`,
          ...(state ? [`m.state = ${bind(state)}`] : []),
        ],
      },
      query,
    );
  }

  /** Marks the machine online. Returns it only if it was offline before. */
  async setOnline(deviceId: string, capabilities: readonly string[], now: Date): Promise<MachineOwnerRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<MachineOwnerRow & { was: string }>(
      `UPDATE machines m SET state = 'online', capabilities = $2, last_seen_at = $3, updated_at = $3,
              turned_at = CASE before.was WHEN 'offline' THEN $3 ELSE m.turned_at END
         FROM (SELECT id, state AS was FROM machines WHERE device_id = $1 FOR UPDATE) before
        WHERE m.id = before.id RETURNING m.id, m.account_id, before.was`,
      [deviceId, capabilities, now],
    );
    return row?.was === 'offline' ? row : undefined;
  }

  /** Marks machines offline. Returns those that were online before. */
  setOffline(deviceIds: string[], now: Date): Promise<(MachineOwnerRow & { device_id: string })[]> {
    return this.unitOfWork.queryRows(
      `UPDATE machines SET state = 'offline', last_seen_at = $2, updated_at = $2, turned_at = $2
        WHERE device_id = ANY($1) AND state = 'online' RETURNING id, account_id, device_id`,
      [deviceIds, now],
    );
  }

  /** Claims machines with unpublished states that have lasted since `changedBefore`. Each change is claimed once. */
  claimStateChanges(changedBefore: Date, limit: number): Promise<MachineRow[]> {
    return this.unitOfWork.queryRows<MachineRow>(
      `UPDATE machines SET announced_state = state
        WHERE id = ANY(ARRAY(SELECT id FROM machines WHERE announced_state <> state AND turned_at <= $1
                              ORDER BY turned_at LIMIT $2 FOR UPDATE SKIP LOCKED))
        RETURNING *`,
      [changedBefore, limit],
    );
  }
}
