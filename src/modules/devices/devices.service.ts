import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountsService } from '../accounts';
import { AuditRecorder } from '../../access/audit';
import { TokenCache } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, notFoundError } from '../../common/errors';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { UnitOfWork } from '../../core/database';
import { deviceEntityToDto, RECOVERY_KEY_PLATFORM, toDeviceDto, type DeviceDto } from './device.dto';
import type { DevicePresence, StaleDevicePresence } from './device-presence';
import { DevicesRepository } from './devices.repository';

@Injectable()
export class DevicesService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsService,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
    private readonly accountExporter: AccountExporter,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'devices',
      readRecords: (accountId) => this.exportDevices(accountId),
    });
  }

  async listDevices(accountId: string, query: PageQueryDto): Promise<Page<DeviceDto>> {
    return mapPage(await this.devices.listDevices(accountId, query), toDeviceDto);
  }

  /** Returns all recovery keys, newest first, including revoked ones. */
  async listRecoveryKeys(accountId: string): Promise<DeviceDto[]> {
    return (await this.devices.findByPlatform(accountId, RECOVERY_KEY_PLATFORM)).map(deviceEntityToDto);
  }

  /** @throws ApiError 404 */
  async getDevice(accountId: string, id: string): Promise<DeviceDto> {
    const device = await this.devices.find(accountId, id);
    if (!device) throw notFoundError('device');
    return deviceEntityToDto(device);
  }

  /** Changes the name by which the account's owner recognizes the device. @throws ApiError 404 */
  async renameDevice(accountId: string, id: string, name: string): Promise<DeviceDto> {
    if (!(await this.devices.renameDevice(accountId, id, name))) throw notFoundError('device');
    return this.getDevice(accountId, id);
  }

  /**
   * Revokes the device. All instances reject its tokens and close its sockets within a second.
   * @throws ApiError 409 for the last account device, without which the account could not be managed
   */
  revokeDevice(accountId: string, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.accounts.lockAccount(accountId);
      const device = await this.devices.find(accountId, id);
      if (!device) throw notFoundError('device');
      if (device.revokedAt) return;
      const isLast = device.kind === 'account' && (await this.devices.countActiveAccountDevices(accountId)) === 1;
      if (isLast) throw new ApiError('conflict', 'This is the last account device. Delete the account instead.');
      await this.devices.revokeDevice(accountId, id, this.clock.currentDate());
      await this.auditRecorder.recordActs({ act: 'device.revoked', accountId, targetId: id });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    });
  }

  /** Deletes the account with all its records. All instances close its sockets within a second. */
  deleteAccount(accountId: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.unitOfWork.withoutStatementTimeout();
      await this.accounts.lockAccount(accountId);
      await this.devices.recordAccountRevocation(accountId, this.clock.currentDate());
      await this.accounts.deleteAccount(accountId);
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    });
  }

  /** Returns false if a newer connection is recorded or the device is revoked. */
  setOnline(id: string, presence: DevicePresence): Promise<boolean> {
    return this.devices.setOnline(id, presence, this.clock.currentDate());
  }

  /** Returns false if a newer connection is recorded. */
  setOffline(id: string, epoch: number): Promise<boolean> {
    return this.devices.setOffline(id, epoch, this.clock.currentDate());
  }

  /** Marks devices offline that were online on dead instances. */
  markInstancesOffline(instances: string[]): Promise<StaleDevicePresence[]> {
    return this.devices.markInstancesOffline(instances, this.clock.currentDate());
  }

  /** Returns the device's capabilities if it is online, and locks its state until the transaction ends. */
  lockOnlineCapabilities(id: string): Promise<string[] | null> {
    return this.devices.lockOnlineCapabilities(id);
  }

  /** Returns ids of devices revoked in the last `ms`. */
  findRecentlyRevoked(ms: number): Promise<string[]> {
    return this.devices.findRevokedSince(new Date(this.clock.now() - ms));
  }

  /** Yields devices with their public keys and enrollments. */
  private async *exportDevices(accountId: string): AsyncGenerator<object> {
    for await (const row of this.devices.scanDevices(accountId)) {
      const { public_key: publicKey, encryption_key: encryptionKey, enrollment } = row;
      yield { ...toDeviceDto(row), publicKey, encryptionKey, enrollment };
    }
  }
}
