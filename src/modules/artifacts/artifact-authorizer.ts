import { Injectable } from '@nestjs/common';
import { getAccessLevel, type DevicePrincipal } from '../../access/auth';
import { forbiddenError, notFoundError } from '../../common/errors';
import type { ArtifactRow } from './artifact.response.dto';
import { ArtifactsRepository, type ArtifactRowWithContent } from './artifacts.repository';

/** Authorizes artifact access by devices. A machine device may only access artifacts it hosts. */
@Injectable()
export class ArtifactAuthorizer {
  constructor(private readonly artifacts: ArtifactsRepository) {}

  /** Locks the artifact until the transaction ends. @throws ApiError 404, 403 for an artifact of another host */
  async lockArtifact(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return requireArtifactAccess(device, await this.artifacts.lockArtifact(device.accountId, id));
  }

  /** Returns the artifact with its ciphertext. @throws ApiError 404, 403 for an artifact of another host */
  async getArtifactWithContent(device: DevicePrincipal, id: string): Promise<ArtifactRowWithContent> {
    return requireArtifactAccess(device, await this.artifacts.findWithContent(device.accountId, id));
  }

  /** Returns the artifact without its ciphertext. @throws ApiError 404, 403 for an artifact of another host */
  async getArtifact(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return requireArtifactAccess(device, await this.artifacts.find(device.accountId, id));
  }
}

function requireArtifactAccess<Row extends ArtifactRow>(device: DevicePrincipal, row: Row | undefined): Row {
  if (!row) throw notFoundError('artifact');
  const canWriteAny = getAccessLevel(device.deviceKind, 'artifacts.write') === 'any';
  if (canWriteAny || row.host_device_id === device.deviceId) return row;
  throw forbiddenError('A machine device can only use artifacts that it hosts.');
}
