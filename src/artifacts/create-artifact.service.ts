import { Injectable } from '@nestjs/common';
import { Storage } from '../accounts';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, invalidRequest, type RequestFault } from '../common/errors';
import { newId } from '../common/ids';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { HostedSessions } from '../sessions';
import { artifactPlace, contentFault, sealedKeyFault } from '../wire';
import { toArtifactRecord, toDeviceArtifactRecord, type DeviceArtifactRecord } from './artifact-record';
import type { CreateArtifactDto } from './artifacts.dto';
import { ArtifactsRepository, type ArtifactRowWithContent } from './artifacts.repository';

/** A device keeps an artifact; only creation sets its host. */
@Injectable()
export class CreateArtifactService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly artifacts: ArtifactsRepository,
    private readonly sessions: HostedSessions,
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /**
   * A repeat by the host or an account device returns the standing artifact.
   * @throws ApiError 400 for a JWE out of form or place, 404 and 403 for its session, 409 for a tag that another
   *   machine uses, 403 `plan_limit_exceeded`
   */
  create(
    device: DevicePrincipal,
    request: CreateArtifactDto,
  ): Promise<{ artifact: DeviceArtifactRecord; created: boolean }> {
    const faults = jweFaults(device.accountId, request);
    if (faults.length > 0) throw invalidRequest(faults);
    return this.unitOfWork.run(async () => {
      if (request.sessionId) await this.sessions.find(device, request.sessionId);
      const id = newId('art');
      const sizeBytes = Buffer.byteLength(request.content);
      const createdAt = this.clock.date();
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
        createdAt,
        updatedAt: createdAt,
      });
      const row = await this.standing(device, request.tag);
      if (created) {
        await this.storage.add(device.accountId, sizeBytes);
        const { accountId, deviceId: byDeviceId } = device;
        const data = toArtifactRecord(row, false);
        this.changes.record({ type: 'artifact.created', accountId, id, byDeviceId, data });
      }
      return { artifact: toDeviceArtifactRecord(row), created };
    });
  }

  private async standing(device: DevicePrincipal, tag: string): Promise<ArtifactRowWithContent> {
    const row = await this.artifacts.findByTag(device.accountId, tag);
    const foreign = device.deviceKind === 'machine' && row?.host_device_id !== device.deviceId;
    if (!row || foreign) throw new ApiError('conflict', `Another device uses the tag "${tag}".`);
    return row;
  }
}

function jweFaults(accountId: string, { tag, dataKey, content }: CreateArtifactDto): RequestFault[] {
  const found: [path: string, fault: string | null][] = [
    ['/dataKey/sealed', sealedKeyFault(dataKey.sealed)],
    ['/content', contentFault(content, dataKey.kid, artifactPlace(accountId, tag, 1))],
  ];
  return found.flatMap(([path, fault]) =>
    fault ? [{ in: 'body' as const, path, code: 'invalid_jwe', message: `${path} ${fault}.` }] : [],
  );
}
