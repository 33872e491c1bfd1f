import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts';
import { RecentLookUps } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, notFound } from '../common/errors';
import { mapPage, type Page, type PageQuery } from '../common/pages';
import { UnitOfWork } from '../persistence';
import { toDeviceRecord, type DeviceRecord } from './device-record';
import type { DevicePresence, EndedPresence } from './device-presence';
import { DevicesRepository } from './devices.repository';

@Injectable()
export class DevicesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsService,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  async list(accountId: string, query: PageQuery): Promise<Page<DeviceRecord>> {
    return mapPage(await this.devices.page(accountId, query), toDeviceRecord);
  }

  /**
   * Ends the device's tokens and sockets everywhere within a second; a revoked one stays revoked.
   * @throws ApiError 409 for the last account device: without one nobody could manage the account
   */
  revoke(accountId: string, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.accounts.lock(accountId);
      const device = await this.devices.find(accountId, id);
      if (!device) throw notFound('device');
      if (device.revokedAt) return;
      const last = device.kind === 'account' && (await this.devices.countLiveAccountDevices(accountId)) === 1;
      if (last) throw new ApiError('conflict', 'This is the last account device; delete the account instead.');
      await this.devices.revoke(accountId, id, this.clock.date());
      this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
    });
  }

  /** Deletes the account with everything in it; its tokens and sockets end everywhere within a second. */
  deleteAccount(accountId: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.unitOfWork.unhurried();
      await this.accounts.lock(accountId);
      await this.devices.revokeAll(accountId, this.clock.date());
      await this.accounts.delete(accountId);
      this.unitOfWork.afterCommit(() => this.lookUps.forget(accountId));
    });
  }

  /** False where a newer connection has been noted, or the device is revoked. */
  setOnline(id: string, presence: DevicePresence): Promise<boolean> {
    return this.devices.setOnline(id, presence, this.clock.date());
  }

  /** False where a newer connection has been noted. */
  setOffline(id: string, epoch: number): Promise<boolean> {
    return this.devices.setOffline(id, epoch, this.clock.date());
  }

  /** Ends what dead instances left behind: the devices that were online there. */
  endPresence(instances: string[]): Promise<EndedPresence[]> {
    return this.devices.endPresence(instances);
  }

  /** What the device declared, if it is online; in a transaction it stays so until that ends. */
  onlineCapabilities(id: string): Promise<string[] | null> {
    return this.devices.onlineCapabilities(id);
  }

  /** Ids of devices revoked in the last `ms`. */
  revokedWithin(ms: number): Promise<string[]> {
    return this.devices.revokedSince(new Date(this.clock.now() - ms));
  }
}
