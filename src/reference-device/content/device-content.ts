import { artifactPlace, messagePlace, metadataPlace, type ContentPlace } from '../../wire';
import { ApiError } from '../api-error';
import type { ArtifactRecord, Data, KeyGrantRecord, MessageRecord, SessionRecord } from '../api-records';
import { grantKey, type GrantOptions } from '../grants/key-grants';
import type { SignedInDevice } from '../signed-in-device';
import { openContent, type Content } from './content';
import { unsealDataKey, type DataKey, type SealedDataKey } from './data-key';

export type Kept = SessionRecord | ArtifactRecord;

/** A message in the clear, or why it cannot be read. */
export type OpenedMessage = MessageRecord & ({ opened: Content } | { opened: null; fault: string });

/** What a device reads and grants: an account device everything, a machine what it hosts (encryption.md). */
export class DeviceContent {
  constructor(readonly device: SignedInDevice) {}

  sessions(): Promise<SessionRecord[]> {
    return this.device.all<SessionRecord>('/v1/sessions');
  }

  /** @throws Error when the account has no such session */
  async session(idOrTag: string): Promise<SessionRecord> {
    const found =
      (idOrTag.startsWith('ses_') && (await this.find<SessionRecord>('sessions', idOrTag))) ||
      (await this.device.all<SessionRecord>(`/v1/sessions?tag=${encodeURIComponent(idOrTag)}`))[0];
    if (!found) throw new Error(`There is no session "${idOrTag}".`);
    return found;
  }

  artifacts(): Promise<ArtifactRecord[]> {
    return this.device.all<ArtifactRecord>('/v1/artifacts');
  }

  /** @throws Error when the account has no such artifact */
  async artifact(id: string): Promise<ArtifactRecord> {
    const found = await this.find<ArtifactRecord>('artifacts', id);
    if (!found) throw new Error(`There is no artifact "${id}".`);
    return found;
  }

  /** What the session's device says about it, JSON as a rule; null for nothing. @throws ContentError */
  async metadata(session: SessionRecord): Promise<Content | null> {
    if (session.metadata === null) return null;
    const place = metadataPlace(this.accountId, session.tag, session.version);
    return openContent(session.metadata, await this.dataKeyOf(session), place);
  }

  /** In the order of `seq`. A text that does not open does not keep the others from being read. */
  async *history(session: SessionRecord, afterSeq = 0): AsyncGenerator<OpenedMessage> {
    const dataKey = await this.dataKeyOf(session);
    const path = `/v1/sessions/${encodeURIComponent(session.id)}/messages?afterSeq=${afterSeq}`;
    for await (const message of this.device.each<MessageRecord>(path)) {
      const place = messagePlace(this.accountId, session.tag, message.localId, message.role);
      yield { ...message, ...(await attempt(message.content, dataKey, place)) };
    }
  }

  /** @throws ContentError */
  async read(artifact: ArtifactRecord): Promise<Content> {
    const place = artifactPlace(this.accountId, artifact.tag, artifact.version);
    return openContent(artifact.content, await this.dataKeyOf(artifact), place);
  }

  /** @throws ApiError, see {@link grantKey} */
  async grant(resource: Kept, options: GrantOptions): Promise<KeyGrantRecord> {
    return grantKey(this.device, resource, await this.dataKeyOf(resource), options);
  }

  /** @throws Error when this device cannot open it */
  async dataKeyOf({ tag, dataKey }: { tag: string; dataKey: SealedDataKey }): Promise<DataKey> {
    const { contentKey, dataKeys = {} } = this.device.state;
    if (contentKey) return unsealDataKey(dataKey, contentKey.key);
    const own = Object.values(dataKeys).find(({ kid }) => kid === dataKey.kid);
    if (!own) throw new Error(`This machine does not hold the data key of "${tag}".`);
    return own;
  }

  get accountId(): string {
    return this.device.state.account?.id ?? '';
  }

  private async find<T>(kind: 'sessions' | 'artifacts', id: string): Promise<T | undefined> {
    try {
      return (await this.device.call<Data<T>>('GET', `/v1/${kind}/${encodeURIComponent(id)}`)).data;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

async function attempt(text: string, dataKey: DataKey, place: ContentPlace) {
  try {
    return { opened: await openContent(text, dataKey, place) };
  } catch (error) {
    return { opened: null, fault: (error as Error).message };
  }
}
