import { Injectable } from '@nestjs/common';
import { ArtifactsService, ArtifactAuthorizer } from '../artifacts';
import type { DevicePrincipal } from '../../access/auth';
import { MessagesService } from '../messages';
import { SessionAuthorizer } from '../sessions';
import type { GrantedResource } from './key-grants.repository';

export interface LockedGrantResource {
  /** Id of its data key. */
  keyId: string;
  /** Loads the newest ciphertext under that key: message, else session metadata, or artifact; null if there is none. */
  loadNewestCiphertext: () => Promise<string | null>;
}

/** Authorizes grants. An account device may grant any resource, a machine device those it hosts. */
@Injectable()
export class GrantResourceAuthorizer {
  constructor(
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly artifactAuthorizer: ArtifactAuthorizer,
    private readonly messages: MessagesService,
    private readonly artifactsService: ArtifactsService,
  ) {}

  /** @throws ApiError 404, 403 for a resource of another host */
  async requireAccess(device: DevicePrincipal, { sessionId, artifactId }: GrantedResource): Promise<void> {
    if (sessionId) await this.sessionAuthorizer.getSession(device, sessionId);
    else await this.artifactAuthorizer.getArtifact(device, artifactId!);
  }

  /**
   * Locks the resource until the transaction ends.
   * @throws ApiError 404, 403 for a resource of another host
   */
  async lockResource(
    device: DevicePrincipal,
    { sessionId, artifactId }: GrantedResource,
  ): Promise<LockedGrantResource> {
    if (!sessionId) {
      const { data_key_id: keyId } = await this.artifactAuthorizer.lockArtifact(device, artifactId!);
      const loadNewestCiphertext = async () =>
        (await this.artifactsService.getCiphertext(device.accountId, artifactId!)).content;
      return { keyId, loadNewestCiphertext };
    }
    const { data_key_id: keyId, metadata } = await this.sessionAuthorizer.lockSession(device, sessionId);
    return {
      keyId,
      loadNewestCiphertext: async () => (await this.messages.findNewestCiphertext(sessionId)) ?? metadata,
    };
  }
}
