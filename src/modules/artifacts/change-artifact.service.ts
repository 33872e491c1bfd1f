import { Injectable } from '@nestjs/common';
import { buildArtifactBinding, findContentFormatViolation } from '@external-api/protocol';
import { countRowBytes, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, invalidBodyError } from '../../common/errors';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { toArtifactDto, toDeviceArtifactDto, type ArtifactRow, type DeviceArtifactDto } from './artifact.response.dto';
import type { ReplaceArtifactContentDto } from './artifacts.dto';
import { ArtifactsRepository } from './artifacts.repository';
import { ArtifactAuthorizer } from './artifact-authorizer';

/** Replaces an artifact's content if its version matches, or deletes the artifact. */
@Injectable()
export class ChangeArtifactService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly artifacts: ArtifactsRepository,
    private readonly artifactAuthorizer: ArtifactAuthorizer,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404, 403, 409 with `current`, 400 for malformed or misbound content, 403 `plan_limit_exceeded` */
  replaceContent(
    device: DevicePrincipal,
    id: string,
    { content, expectedVersion }: ReplaceArtifactContentDto,
  ): Promise<DeviceArtifactDto> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.artifactAuthorizer.lockArtifact(device, id);
      if (row.version !== expectedVersion) {
        throw new ApiError('conflict', `The artifact is at version ${row.version}.`, {
          members: { current: row.version },
        });
      }
      const version = row.version + 1;
      const violation = findContentFormatViolation(
        content,
        row.data_key_id,
        buildArtifactBinding(row.account_id, row.tag, version),
      );
      if (violation) throw invalidBodyError('/content', 'invalid_jwe', violation);
      const sizeBytes = Buffer.byteLength(content);
      const updatedAt = this.clock.currentDate();
      const ownBytes = countRowBytes(row.tag, row.media_type, row.sealed_data_key);
      const bytes = sizeBytes + ownBytes - row.size_bytes - row.own_bytes;
      await this.storageQuota.requireCapacity(row.account_id, bytes);
      await this.artifacts.replaceContent(id, {
        version,
        content,
        sizeBytes,
        ownBytes,
        updatedAt,
      });
      await this.storageQuota.addUsage(row.account_id, bytes);
      const next = {
        ...row,
        version,
        content,
        size_bytes: sizeBytes,
        own_bytes: ownBytes,
        updated_at: updatedAt,
      };
      this.recordChange('artifact.updated', device, next);
      return toDeviceArtifactDto(next);
    });
  }

  /** @throws ApiError 404, 403 */
  deleteArtifact(device: DevicePrincipal, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.artifactAuthorizer.lockArtifact(device, id);
      await this.artifacts.delete(id);
      await this.storageQuota.addUsage(row.account_id, -row.size_bytes - row.own_bytes);
      this.recordChange('artifact.deleted', device, row);
    });
  }

  private recordChange(
    type: 'artifact.updated' | 'artifact.deleted',
    { accountId, deviceId: byDeviceId }: DevicePrincipal,
    row: ArtifactRow,
  ): void {
    const data = toArtifactDto(row, false);
    const hostDeviceId = row.host_device_id;
    this.eventPublisher.recordChange({ type, accountId, id: row.id, byDeviceId, hostDeviceId, data });
  }
}
