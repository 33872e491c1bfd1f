import { Injectable } from '@nestjs/common';
import { buildArtifactBinding, findContentFormatViolation, findSealedKeyFormatViolation } from '@external-api/protocol';
import { countRowBytes, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, bodyViolation, invalidRequestError, type RequestViolation } from '../../common/errors';
import { generateId } from '../../common/ids';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { SessionAuthorizer } from '../sessions';
import { toArtifactDto, toDeviceArtifactDto, type DeviceArtifactDto } from './artifact.response.dto';
import type { CreateArtifactDto } from './artifacts.dto';
import { ArtifactsRepository, type ArtifactRowWithContent } from './artifacts.repository';

/** Creates artifacts. The host of an artifact is set at creation and never changes. */
@Injectable()
export class CreateArtifactService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly artifacts: ArtifactsRepository,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an artifact. A repeated request by the host or an account device returns the existing artifact.
   * @throws ApiError 400 for a JWE that is malformed or bound to another record, 404 and 403 for its session, 409 for a
   *   tag that another device uses, 403 `plan_limit_exceeded`
   */
  createArtifact(
    device: DevicePrincipal,
    request: CreateArtifactDto,
  ): Promise<{ artifact: DeviceArtifactDto; created: boolean }> {
    const violations = findArtifactJweViolations(device.accountId, request);
    if (violations.length > 0) throw invalidRequestError(violations);
    return this.unitOfWork.runInTransaction(async () => {
      // The lock keeps the session until the artifact, which refers to it, is committed.
      if (request.sessionId) await this.sessionAuthorizer.lockSession(device, request.sessionId);
      const id = generateId('art');
      const sizeBytes = Buffer.byteLength(request.content);
      const ownBytes = countRowBytes(request.tag, request.mediaType, request.dataKey.sealed);
      // A repeated request succeeds even when the quota is used up.
      if (!(await this.artifacts.existsByTag(device.accountId, request.tag))) {
        await this.storageQuota.requireCapacity(device.accountId, sizeBytes + ownBytes);
      }
      const createdAt = this.clock.currentDate();
      const created = await this.artifacts.insert({
        id,
        accountId: device.accountId,
        sessionId: request.sessionId ?? null,
        hostDeviceId: device.deviceId,
        tag: request.tag,
        mediaType: request.mediaType,
        dataKeyId: request.dataKey.kid,
        sealedDataKey: request.dataKey.sealed,
        content: request.content,
        version: 1,
        sizeBytes,
        ownBytes,
        createdAt,
        updatedAt: createdAt,
      });
      const row = await this.getStoredArtifact(device, request.tag);
      if (created) {
        await this.storageQuota.addUsage(device.accountId, sizeBytes + ownBytes);
        const { accountId, deviceId: byDeviceId } = device;
        const data = toArtifactDto(row, false);
        this.eventPublisher.recordChange({
          type: 'artifact.created',
          accountId,
          id,
          byDeviceId,
          hostDeviceId: byDeviceId,
          data,
        });
      }
      return { artifact: toDeviceArtifactDto(row), created };
    });
  }

  private async getStoredArtifact(device: DevicePrincipal, tag: string): Promise<ArtifactRowWithContent> {
    const row = await this.artifacts.findByTag(device.accountId, tag);
    const isForeign = device.deviceKind === 'machine' && row?.host_device_id !== device.deviceId;
    if (!row || isForeign) throw new ApiError('conflict', `The tag "${tag}" is in use by another device.`);
    return row;
  }
}

function findArtifactJweViolations(
  accountId: string,
  { tag, dataKey, content }: CreateArtifactDto,
): RequestViolation[] {
  const checks: [path: string, violation: string | null][] = [
    ['/dataKey/sealed', findSealedKeyFormatViolation(dataKey.sealed)],
    ['/content', findContentFormatViolation(content, dataKey.kid, buildArtifactBinding(accountId, tag, 1))],
  ];
  return checks.flatMap(([path, violation]) => (violation ? [bodyViolation(path, 'invalid_jwe', violation)] : []));
}
