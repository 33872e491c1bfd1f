import { Injectable } from '@nestjs/common';
import { findContentFormatViolation, buildMetadataBinding, findSealedKeyFormatViolation } from '@external-api/protocol';
import { countRowBytes, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import {
  ApiError,
  bodyViolation,
  forbiddenError,
  invalidRequestError,
  type RequestViolation,
} from '../../common/errors';
import { generateId } from '../../common/ids';
import { EventPublisher } from '../../core/events';
import { MachinesService } from '../machines';
import { UnitOfWork } from '../../core/database';
import { toDeviceSessionDto, toSessionDto, type DeviceSessionDto, type SessionRow } from './session.response.dto';
import { toSessionAgent, type CreateSessionDto } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** Creates sessions. The host of a session is set at creation and never changes. */
@Injectable()
export class CreateSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsRepository,
    private readonly machines: MachinesService,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a session. A repeated request by the host or an account device returns the existing session.
   * @throws ApiError 400 for a JWE that is malformed or bound to another record, 404 for an unknown machine, 403 for
   *   the machine of another device, 409 for a tag that another device uses, 403 `plan_limit_exceeded`
   */
  createSession(
    device: DevicePrincipal,
    request: CreateSessionDto,
  ): Promise<{ session: DeviceSessionDto; created: boolean }> {
    const violations = findSessionJweViolations(device.accountId, request);
    if (violations.length > 0) throw invalidRequestError(violations);
    return this.unitOfWork.runInTransaction(async () => {
      if (request.machineId) await this.requireOwnMachine(device, request.machineId);
      const ownBytes = countRowBytes(request.tag, request.dataKey.sealed, request.metadata ?? null);
      // A repeated request succeeds even when the quota is used up.
      if (!(await this.sessions.findByTag(device.accountId, request.tag))) {
        await this.storageQuota.requireCapacity(device.accountId, ownBytes);
      }
      const inserted = await this.sessions.insert({
        id: generateId('ses'),
        accountId: device.accountId,
        tag: request.tag,
        hostDeviceId: device.deviceId,
        machineId: request.machineId ?? null,
        dataKeyId: request.dataKey.kid,
        sealedDataKey: request.dataKey.sealed,
        metadata: request.metadata ?? null,
        agent: toSessionAgent(request.agent),
        ownBytes,
        createdAt: this.clock.currentDate(),
      });
      if (inserted) {
        await this.storageQuota.addUsage(device.accountId, inserted.own_bytes);
        this.eventPublisher.recordChange({
          type: 'session.created',
          accountId: inserted.account_id,
          id: inserted.id,
          byDeviceId: device.deviceId,
          hostDeviceId: inserted.host_device_id,
          data: toSessionDto(inserted, false),
        });
      }
      const row = inserted ?? (await this.findExistingSession(device, request.tag));
      return { session: toDeviceSessionDto(row), created: inserted !== undefined };
    });
  }

  private async requireOwnMachine(device: DevicePrincipal, machineId: string): Promise<void> {
    const ownerDeviceId = await this.machines.getDeviceId(device.accountId, machineId);
    if (device.deviceKind === 'machine' && ownerDeviceId !== device.deviceId) {
      throw forbiddenError('A machine device can only name its own machine.');
    }
  }

  private async findExistingSession(device: DevicePrincipal, tag: string): Promise<SessionRow> {
    const row = await this.sessions.findByTag(device.accountId, tag);
    const isForeign = device.deviceKind === 'machine' && row?.host_device_id !== device.deviceId;
    if (!row || isForeign) throw new ApiError('conflict', `The tag "${tag}" is in use by another device.`);
    return row;
  }
}

function findSessionJweViolations(accountId: string, { tag, dataKey, metadata }: CreateSessionDto): RequestViolation[] {
  const checks: [path: string, violation: string | null][] = [
    ['/dataKey/sealed', findSealedKeyFormatViolation(dataKey.sealed)],
    [
      '/metadata',
      metadata ? findContentFormatViolation(metadata, dataKey.kid, buildMetadataBinding(accountId, tag, 1)) : null,
    ],
  ];
  return checks.flatMap(([path, violation]) => (violation ? [bodyViolation(path, 'invalid_jwe', violation)] : []));
}
