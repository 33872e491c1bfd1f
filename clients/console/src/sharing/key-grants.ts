import {
  buildServiceGrantPayload,
  ContentError,
  getKeyGrantsPath,
  parsePublicKey,
  sealJson,
  toOctJwk,
  type DataKey,
  type EncryptionKey,
  type GrantableResource,
  type KeyGrantTerms,
  type RecipientPublicKey,
} from '@external-api/protocol/portable';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { SessionOpener } from '../content/content-opener';
import type { KeyGrantRecord, MessageRecord, SessionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';

/** What the server tells a page that shares content (src/web/console/sharing/share-target-reader.ts). */
export interface SharingProps {
  /** Configured address of the host, to which a grant is bound. The page may be open under another one. */
  audience: string;
  /** Active tokens. */
  tokens: ShareTarget[];
  /** Authorized apps. */
  apps: ShareTarget[];
}

export interface ShareTarget {
  id: string;
  name: string;
  scopes: string[];
}

export interface GrantRequest extends KeyGrantTerms {
  /** Default: the service, which then decrypts for the callers that the grant covers. */
  recipient?: RecipientPublicKey;
}

/** Grants keys on behalf of one act of the user. It asks for the service's grant key once. */
export class KeyGranter {
  private serviceKey: Promise<{ kid: string; publicKey: EncryptionKey }> | undefined;

  /** @param place account, and the configured address of the host */
  constructor(
    private readonly api: AccountApi,
    private readonly place: { accountId: string; aud: string },
  ) {}

  /** Grants the key again where the same grant exists, with the new expiry. @throws ServiceError */
  async grantKey(resource: GrantableResource, dataKey: DataKey, request: GrantRequest): Promise<KeyGrantRecord> {
    const { recipient, ...terms } = request;
    const sealedKey = recipient
      ? await sealJson(toOctJwk(dataKey), recipient, recipient.kid)
      : await this.sealForService(resource, dataKey, terms);
    const body = { recipient: recipient ?? 'service', sealedKey, ...terms };
    return (await this.api.post<{ data: KeyGrantRecord }>(getKeyGrantsPath(resource), body)).data;
  }

  private async sealForService(resource: GrantableResource, dataKey: DataKey, terms: KeyGrantTerms): Promise<string> {
    this.serviceKey ??= this.api.getRecord('/v1/key-grants/recipient');
    const { kid, publicKey } = await this.serviceKey;
    const payload = buildServiceGrantPayload(this.place, resource, dataKey, terms);
    return sealJson(payload, parsePublicKey(publicKey, 'X25519'), kid);
  }
}

/**
 * Opens the data key of a session in order to grant it. The service stores the sealed keys and could present the key of
 * another session, which a grant would then disclose. Content that the key opens proves that it is the session's.
 * @throws Error with a sentence for the user
 */
export async function openSessionKey(api: AccountApi, keys: AccountKeys, session: SessionRecord): Promise<DataKey> {
  const opener = await SessionOpener.forSession(keys, session).catch((error: unknown) => {
    throw new Error('The key of this session can’t be opened, so it wasn’t shared.', { cause: error });
  });
  try {
    if (session.metadata === null) await openFirstMessage(api, opener, session.id);
    else await opener.openMetadata(session);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const content = session.metadata === null ? 'messages' : 'title';
    throw new Error(`The key of this session doesn’t open its ${content}, so it wasn’t shared.`, { cause: error });
  }
  return opener.dataKey;
}

async function openFirstMessage(api: AccountApi, opener: SessionOpener, sessionId: string): Promise<void> {
  const { data } = await api.getPage<MessageRecord>(`/v1/sessions/${sessionId}/messages`, { limit: 1 });
  if (data.length === 0)
    throw new Error('This session has no title and no message that prove its key, so it wasn’t shared.');
  await opener.openMessage(data[0]!);
}

/** Returns the active grants, newest first. */
export async function listKeyGrants(api: AccountApi, resource: GrantableResource): Promise<KeyGrantRecord[]> {
  const grants = await api.getAll<KeyGrantRecord>(getKeyGrantsPath(resource), { limit: 200 });
  return grants.sort((a, b) => b.createdAt - a.createdAt);
}

/** Succeeds also if the grant has ended meanwhile, such as in another tab. */
export async function revokeKeyGrant(api: AccountApi, resource: GrantableResource, grantId: string): Promise<void> {
  try {
    await api.delete(`${getKeyGrantsPath(resource)}/${grantId}`);
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 404)) throw error;
  }
}
