import { Injectable } from '@nestjs/common';
import { HostedArtifacts } from '../artifacts';
import type { DevicePrincipal } from '../auth';
import { HostedSessions } from '../sessions';
import type { GrantedResource } from './key-grants.repository';

/** What a device may grant: an account device anything, a machine device what it hosts. */
@Injectable()
export class GrantedResources {
  constructor(
    private readonly sessions: HostedSessions,
    private readonly artifacts: HostedArtifacts,
  ) {}

  /** @throws ApiError 404, 403 for one that the machine does not host */
  async require(device: DevicePrincipal, { sessionId, artifactId }: GrantedResource): Promise<void> {
    if (sessionId) await this.sessions.find(device, sessionId);
    else await this.artifacts.findMetadata(device, artifactId!);
  }

  /**
   * The id of the resource's data key; the resource stays as it is until the transaction ends.
   * @throws ApiError as `require`
   */
  async lock(device: DevicePrincipal, { sessionId, artifactId }: GrantedResource): Promise<string> {
    const locked = sessionId
      ? await this.sessions.lock(device, sessionId)
      : await this.artifacts.lock(device, artifactId!);
    return locked.data_key_id;
  }
}
