import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountRevocationRegistry, AccountsService } from '../accounts';
import { AuditRecorder } from '../../access/audit';
import { TokenCache } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, notFoundError } from '../../common/errors';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { UnitOfWork } from '../../core/database';
import { deviceEntityToDto, RECOVERY_KEY_PLATFORM, toDeviceDto, type DeviceDto } from './device.dto';
import { DevicesRepository } from './devices.repository';

/** Ends what belongs to a device, in the transaction that revokes it. */
type DeviceRevocationListener = (deviceId: string) => Promise<void>;

@Injectable()
export class DevicesService implements OnModuleInit {
  private readonly revocationListeners: DeviceRevocationListener[] = [];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsService,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
    private readonly accountExporter: AccountExporter,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'devices',
      scanRows: (accountId) => this.devices.scanDevices(accountId),
      toRecord: (row) => {
        const { public_key: publicKey, encryption_key: encryptionKey, enrollment } = row;
        return { ...toDeviceDto(row), publicKey, encryptionKey, enrollment };
      },
    });
    this.accountRevocations.registerMarkingStep((accountId, deletedAt) =>
      this.devices.recordAllRevocations(accountId, deletedAt),
    );
    this.accountRevocations.registerRevocationStep((accountId) => this.devices.revokeAllDevices(accountId));
  }

  onRevocation(listener: DeviceRevocationListener): void {
    this.revocationListeners.push(listener);
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

  /** Returns the fingerprint of a revoked device of any account, or null for another ID. */
  findRevokedFingerprint(id: string): Promise<string | null> {
    return this.devices.findRevokedFingerprint(id);
  }

  /** Changes the name by which the account's owner recognizes the device and its machine. @throws ApiError 404 */
  renameDevice(accountId: string, id: string, name: string): Promise<DeviceDto> {
    return this.unitOfWork.runInTransaction(async () => {
      const isRenamed = await this.devices.renameDevice(accountId, id, name, this.clock.currentDate());
      if (!isRenamed) throw notFoundError('device');
      await this.auditRecorder.recordActs({ act: 'device.renamed', accountId, targetId: id });
      return this.getDevice(accountId, id);
    });
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
      for (const listener of this.revocationListeners) await listener(id);
      await this.auditRecorder.recordActs({ act: 'device.revoked', accountId, targetId: id });
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(accountId));
    });
  }
}
