import { Injectable } from '@nestjs/common';
import { getAccessLevel, type DevicePrincipal } from '../../access/auth';
import { forbiddenError, notFoundError } from '../../common/errors';
import { SessionsService } from '../sessions';
import type { ArtifactRow } from './artifact.response.dto';
import { ArtifactsRepository, type ArtifactRowWithContent } from './artifacts.repository';

/**
 * Authorizes artifact access by devices. A machine device may only access artifacts it hosts, and read what others have
 * stored in sessions that it hosts.
 */
@Injectable()
export class ArtifactAuthorizer {
  constructor(
    private readonly artifacts: ArtifactsRepository,
    private readonly sessions: SessionsService,
  ) {}

  /** Locks the artifact until the transaction ends. @throws ApiError 404, 403 for an artifact of another host */
  async lockArtifact(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return requireArtifactAccess(device, await this.artifacts.lockArtifact(device.accountId, id));
  }

  /** Returns the artifact with its ciphertext. @throws ApiError 404, 403 for one of another host and session */
  async getArtifactWithContent(device: DevicePrincipal, id: string): Promise<ArtifactRowWithContent> {
    const row = await this.artifacts.findWithContent(device.accountId, id);
    if (row && !canAccess(device, row) && (await this.isSessionHost(device, row.session_id))) return row;
    return requireArtifactAccess(device, row);
  }

  /** Returns the artifact without its ciphertext. @throws ApiError 404, 403 for an artifact of another host */
  async getArtifact(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return requireArtifactAccess(device, await this.artifacts.find(device.accountId, id));
  }

  private async isSessionHost({ accountId, deviceId }: DevicePrincipal, sessionId: string | null): Promise<boolean> {
    if (sessionId === null) return false;
    return (await this.sessions.getSessionRoute(accountId, sessionId)).hostDeviceId === deviceId;
  }
}

function canAccess({ deviceKind, deviceId }: DevicePrincipal, row: ArtifactRow): boolean {
  return getAccessLevel(deviceKind, 'artifacts.write') === 'any' || row.host_device_id === deviceId;
}

function requireArtifactAccess<Row extends ArtifactRow>(device: DevicePrincipal, row: Row | undefined): Row {
  if (!row) throw notFoundError('artifact');
  if (canAccess(device, row)) return row;
  throw forbiddenError('A machine device can only use artifacts that it hosts.');
}
