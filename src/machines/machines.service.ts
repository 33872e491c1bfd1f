import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { notFound } from '../common/errors';
import { newId } from '../common/ids';
import { mapPage, type Page } from '../common/pages';
import { Changes, type EventType } from '../events';
import { UnitOfWork } from '../persistence';
import { toMachineRecord, type MachineRecord } from './machine-record';
import type { MachineQuery, RegisterMachineDto } from './machines.dto';
import { MachinesRepository } from './machines.repository';

const MAX_KNOWN = 10_000;

@Injectable()
export class MachinesService {
  /** Devices as they register: whoever knows their presence reports it. */
  readonly registered = new Subject<{ accountId: string; deviceId: string }>();

  /** Each relayed call asks, and a machine keeps its device as long as it stands. */
  private readonly knownDevices = new Map<string, string>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly machines: MachinesRepository,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /** The calling machine device registers itself; again updates it. */
  async register(
    device: DevicePrincipal,
    details: RegisterMachineDto,
  ): Promise<{ machine: MachineRecord; created: boolean }> {
    const { accountId, deviceId } = device;
    const { machine, created } = await this.unitOfWork.run(async () => {
      const now = this.clock.date();
      const row = await this.machines.register(accountId, deviceId, newId('mch'), details, now);
      const data = toMachineRecord(row);
      if (row.created) {
        const type = 'machine.registered';
        this.changes.record({ type, accountId, id: row.id, byDeviceId: deviceId, data });
      }
      return { machine: data, created: row.created };
    });
    this.registered.next(device);
    return { machine, created };
  }

  async list(accountId: string, query: MachineQuery): Promise<Page<MachineRecord>> {
    return mapPage(await this.machines.page(accountId, query), toMachineRecord);
  }

  async get(accountId: string, id: string): Promise<MachineRecord> {
    return toMachineRecord(await this.require(accountId, id));
  }

  /** The device that answers for a machine. @throws ApiError 404 */
  async deviceOf(accountId: string, id: string): Promise<string> {
    const key = `${accountId}/${id}`;
    const known = this.knownDevices.get(key);
    if (known) return known;
    const { device_id: deviceId } = await this.require(accountId, id);
    if (this.knownDevices.size >= MAX_KNOWN) this.knownDevices.clear();
    this.knownDevices.set(key, deviceId);
    return deviceId;
  }

  /** The machine that a device registered, if it did. */
  async idOfDevice(deviceId: string): Promise<string | null> {
    return (await this.machines.findByDevice(deviceId))?.id ?? null;
  }

  async setOnline(deviceId: string, capabilities: readonly string[]): Promise<void> {
    const turned = await this.machines.setOnline(deviceId, capabilities, this.clock.date());
    if (turned) this.hint('machine.online', turned.account_id, turned.id, deviceId);
  }

  async setOffline(deviceIds: string[]): Promise<void> {
    for (const turned of await this.machines.setOffline(deviceIds, this.clock.date())) {
      this.hint('machine.offline', turned.account_id, turned.id, turned.device_id);
    }
  }

  /** Devices hear of it at once; webhooks when it has lasted (machine-announcer.ts). */
  private hint(type: EventType, accountId: string, id: string, byDeviceId: string): void {
    this.changes.hint({ type, accountId, id, byDeviceId });
  }

  private async require(accountId: string, id: string) {
    const row = await this.machines.find(accountId, id);
    if (!row) throw notFound('machine');
    return row;
  }
}
