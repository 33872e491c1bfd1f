import { Injectable } from '@nestjs/common';
import { Storage } from '../accounts';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, invalidRequest } from '../common/errors';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { artifactPlace, contentFault } from '../wire';
import {
  toArtifactRecord,
  toDeviceArtifactRecord,
  type ArtifactRow,
  type DeviceArtifactRecord,
} from './artifact-record';
import type { ReplaceContentDto } from './artifacts.dto';
import { ArtifactsRepository } from './artifacts.repository';
import { HostedArtifacts } from './hosted-artifacts';

/** Replaces an artifact's content by compare and set, or deletes it. */
@Injectable()
export class ChangeArtifactService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly artifacts: ArtifactsRepository,
    private readonly hosted: HostedArtifacts,
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404, 403, 409 with `current`, 400 for content out of form or place, 403 over the plan */
  replace(
    device: DevicePrincipal,
    id: string,
    { content, expectedVersion }: ReplaceContentDto,
  ): Promise<DeviceArtifactRecord> {
    return this.unitOfWork.run(async () => {
      const row = await this.hosted.lock(device, id);
      if (row.version !== expectedVersion) {
        throw new ApiError('conflict', `The artifact is at version ${row.version}.`, {
          members: { current: row.version },
        });
      }
      const version = row.version + 1;
      const fault = contentFault(content, row.data_key_id, artifactPlace(row.account_id, row.tag, version));
      if (fault) {
        const message = `/content ${fault}.`;
        throw invalidRequest([{ in: 'body', path: '/content', code: 'invalid_jwe', message }]);
      }
      const size = Buffer.byteLength(content);
      const at = this.clock.date();
      await this.artifacts.replaceContent(id, version, content, size, at);
      await this.storage.add(row.account_id, size - row.size_bytes);
      const next = { ...row, version, content, size_bytes: size, updated_at: at };
      this.record('artifact.updated', device, next);
      return toDeviceArtifactRecord(next);
    });
  }

  /** @throws ApiError 404, 403 */
  delete(device: DevicePrincipal, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      const row = await this.hosted.lock(device, id);
      await this.artifacts.delete(id);
      await this.storage.add(row.account_id, -row.size_bytes);
      this.record('artifact.deleted', device, row);
    });
  }

  private record(
    type: 'artifact.updated' | 'artifact.deleted',
    { accountId, deviceId: byDeviceId }: DevicePrincipal,
    row: ArtifactRow,
  ): void {
    const data = toArtifactRecord(row, false);
    this.changes.record({ type, accountId, id: row.id, byDeviceId, data });
  }
}
