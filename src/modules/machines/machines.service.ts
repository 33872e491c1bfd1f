import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import { Subject } from 'rxjs';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { notFoundError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { mapPage, type Page } from '../../common/pages';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { toMachineDto, type MachineDto } from './machine.response.dto';
import type { ListMachinesQueryDto, RegisterMachineDto } from './machines.dto';
import { MachinesRepository } from './machines.repository';

const MAX_CACHED_DEVICE_IDS = 10_000;

/** A machine that has gone online or offline. */
export interface MachineStateChange {
  accountId: string;
  machineId: string;
  deviceId: string;
}

@Injectable()
export class MachinesService implements OnModuleInit {
  /** Emits when a device registers, so that its presence can be reported. */
  readonly registrations = new Subject<{ accountId: string; deviceId: string }>();

  /** Cached because each relayed call needs it. The device of a machine never changes. */
  private readonly deviceIdsByMachine = new Map<string, string>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly machines: MachinesRepository,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'machines',
      scanRows: (accountId) => this.machines.scanByAccount(accountId),
      toRecord: toMachineDto,
    });
  }

  /** Registers the calling machine device, or updates its machine. */
  async registerMachine(
    device: DevicePrincipal,
    details: RegisterMachineDto,
  ): Promise<{ machine: MachineDto; created: boolean }> {
    const { accountId, deviceId } = device;
    const { machine, created } = await this.unitOfWork.runInTransaction(async () => {
      const now = this.clock.currentDate();
      const row = await this.machines.upsertMachine(accountId, deviceId, generateId('mch'), details, now);
      const data = toMachineDto(row);
      if (row.created) {
        this.eventPublisher.recordChange({
          type: 'machine.registered',
          accountId,
          id: row.id,
          byDeviceId: deviceId,
          hostDeviceId: deviceId,
          data,
        });
      }
      return { machine: data, created: row.created };
    });
    this.registrations.next(device);
    return { machine, created };
  }

  async listMachines(accountId: string, query: ListMachinesQueryDto): Promise<Page<MachineDto>> {
    return mapPage(await this.machines.findPage(accountId, query), toMachineDto);
  }

  async getMachine(accountId: string, id: string): Promise<MachineDto> {
    return toMachineDto(await this.requireMachine(accountId, id));
  }

  /** Returns the device of a machine. @throws ApiError 404 */
  async getDeviceId(accountId: string, id: string): Promise<string> {
    const key = `${accountId}/${id}`;
    const cachedDeviceId = this.deviceIdsByMachine.get(key);
    if (cachedDeviceId) return cachedDeviceId;
    const { device_id: deviceId } = await this.requireMachine(accountId, id);
    if (this.deviceIdsByMachine.size >= MAX_CACHED_DEVICE_IDS) this.deviceIdsByMachine.clear();
    this.deviceIdsByMachine.set(key, deviceId);
    return deviceId;
  }

  /** Returns names of the account's machines by id. Leaves out ids that the account doesn't have. */
  async findNames(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = ids.length > 0 ? await this.machines.findNames(accountId, ids) : [];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Returns the machine that the device registered, or null. */
  async findMachineIdByDevice(deviceId: string): Promise<string | null> {
    return (await this.machines.findIdByDevice(deviceId)) ?? null;
  }

  /** Notifies the account's devices at once. Webhooks follow after the state has lasted. */
  notifyStateChanges(state: 'online' | 'offline', changes: readonly MachineStateChange[]): void {
    for (const { accountId, machineId: id, deviceId } of changes) {
      const notification = { accountId, id, byDeviceId: deviceId, hostDeviceId: deviceId };
      this.eventPublisher.notifyDevices({ type: `machine.${state}`, ...notification });
    }
  }

  /** Publishes the present states of the devices' machines, in the caller's transaction. */
  async publishStates(deviceIds: string[]): Promise<void> {
    for (const row of await this.machines.findByDevices(deviceIds)) {
      const type = row.state === 'online' ? 'machine.online' : 'machine.offline';
      this.eventPublisher.publishEvent({ type, accountId: row.account_id, data: toMachineDto(row) });
    }
  }

  private async requireMachine(accountId: string, id: string) {
    const row = await this.machines.find(accountId, id);
    if (!row) throw notFoundError('machine');
    return row;
  }
}
