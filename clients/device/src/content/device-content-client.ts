import {
  buildArtifactBinding,
  buildMessageBinding,
  buildMetadataBinding,
  type Content,
  type ContentBinding,
  type DataKey,
  openContent,
  type SealedDataKey,
  unsealDataKey,
} from '@external-api/protocol';
import { ApiResponseError } from '../client-errors';
import type {
  ArtifactResource,
  DataEnvelope,
  KeyGrantResource,
  MessageResource,
  SessionResource,
} from '../api-resources';
import { createKeyGrant, type KeyGrantOptions } from '../grants/key-grants';
import type { SignedInDevice } from '../signed-in-device';

export type SessionOrArtifact = SessionResource | ArtifactResource;

/** A decrypted message, or the reason why it can't be decrypted. */
export type OpenedMessage = MessageResource & ({ opened: Content } | { opened: null; failureReason: string });

/**
 * Reads and grants content: an account device all of the account's, a machine device the content that it hosts
 * (docs/protocol/encryption.md#key-grants).
 */
export class DeviceContentClient {
  constructor(readonly device: SignedInDevice) {}

  listSessions(): Promise<SessionResource[]> {
    return this.device.listItems<SessionResource>('/v1/sessions');
  }

  /** @throws Error when the account has no such session */
  async getSession(idOrTag: string): Promise<SessionResource> {
    const foundSession =
      (idOrTag.startsWith('ses_') && (await this.findResource<SessionResource>('sessions', idOrTag))) ||
      (await this.device.listItems<SessionResource>(`/v1/sessions?tag=${encodeURIComponent(idOrTag)}`))[0];
    if (!foundSession) throw new Error(`Session "${idOrTag}" was not found.`);
    return foundSession;
  }

  listArtifacts(): Promise<ArtifactResource[]> {
    return this.device.listItems<ArtifactResource>('/v1/artifacts');
  }

  /** @throws Error when the account has no such artifact */
  async getArtifact(id: string): Promise<ArtifactResource> {
    const foundArtifact = await this.findResource<ArtifactResource>('artifacts', id);
    if (!foundArtifact) throw new Error(`Artifact "${id}" was not found.`);
    return foundArtifact;
  }

  /** Returns the session's decrypted metadata, usually JSON, or null when it has none. @throws ContentError */
  async readMetadata(session: SessionResource): Promise<Content | null> {
    if (session.metadata === null) return null;
    const place = buildMetadataBinding(this.accountId, session.tag, session.version);
    return openContent(session.metadata, await this.getDataKey(session), place);
  }

  /** Iterates in the order of `seq`. Also yields messages that can't be decrypted. */
  async *readHistory(session: SessionResource, afterSeq = 0): AsyncGenerator<OpenedMessage> {
    const dataKey = await this.getDataKey(session);
    const path = `/v1/sessions/${encodeURIComponent(session.id)}/messages?afterSeq=${afterSeq}`;
    for await (const message of this.device.iterateItems<MessageResource>(path)) {
      const place = buildMessageBinding(this.accountId, session.tag, message.localId, message.role);
      yield { ...message, ...(await openMessageContent(message.content, dataKey, place)) };
    }
  }

  /** @throws ContentError */
  async readArtifact(artifact: ArtifactResource): Promise<Content> {
    const place = buildArtifactBinding(this.accountId, artifact.tag, artifact.version);
    return openContent(artifact.content, await this.getDataKey(artifact), place);
  }

  /** @throws ApiResponseError, see {@link createKeyGrant} */
  async createKeyGrant(resource: SessionOrArtifact, options: KeyGrantOptions): Promise<KeyGrantResource> {
    return createKeyGrant(this.device, resource, await this.getDataKey(resource), options);
  }

  /** @throws Error when this device can't unseal the data key */
  async getDataKey({ tag, dataKey }: { tag: string; dataKey: SealedDataKey }): Promise<DataKey> {
    const { contentKey, dataKeys = {} } = this.device.state;
    if (contentKey) return unsealDataKey(dataKey, contentKey.key);
    const heldKey = Object.values(dataKeys).find(({ kid }) => kid === dataKey.kid);
    if (!heldKey) throw new Error(`This machine does not have the data key of "${tag}".`);
    return heldKey;
  }

  get accountId(): string {
    return this.device.state.account?.id ?? '';
  }

  private async findResource<T>(kind: 'sessions' | 'artifacts', id: string): Promise<T | undefined> {
    try {
      return (await this.device.callApi<DataEnvelope<T>>('GET', `/v1/${kind}/${encodeURIComponent(id)}`)).data;
    } catch (error) {
      if (error instanceof ApiResponseError && error.status === 404) return undefined;
      throw error;
    }
  }
}

async function openMessageContent(text: string, dataKey: DataKey, place: ContentBinding) {
  try {
    return { opened: await openContent(text, dataKey, place) };
  } catch (error) {
    return { opened: null, failureReason: (error as Error).message };
  }
}
