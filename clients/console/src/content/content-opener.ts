import {
  ANSWERS_MEDIA_TYPE,
  buildAnswersBinding,
  buildArtifactBinding,
  buildAttachmentBinding,
  buildDecisionMessageBinding,
  buildDeltaBinding,
  buildMessageBinding,
  buildMetadataBinding,
  buildPermissionBinding,
  encodeAttachment,
  openContent,
  SEALED_ATTACHMENT_MEDIA_TYPE,
  sealContent,
  unsealDataKey,
  type Content,
  type DataKey,
  type NamedFile,
  type SealedDataKey,
} from '@external-api/protocol/portable';
import type { AccountKeys } from './account-keys';
import type { ArtifactRecord, DeltaRecord, MessageRecord, PermissionRecord, SessionRecord } from './records';

/** Decrypts and encrypts the content of a session. All methods throw ContentError if a text was modified or moved. */
export class SessionOpener {
  private constructor(
    private readonly accountId: string,
    private readonly tag: string,
    readonly dataKey: DataKey,
  ) {}

  /** @throws Error if the session's data key isn't sealed to the account's content key */
  static async forSession(keys: AccountKeys, { tag, dataKey }: SessionRecord): Promise<SessionOpener> {
    return new SessionOpener(keys.accountId, tag, await unsealDataKey(dataKey, keys.contentKey));
  }

  openMessage({ localId, role, content }: MessageRecord): Promise<Content> {
    return openContent(content, this.dataKey, buildMessageBinding(this.accountId, this.tag, localId, role));
  }

  openDelta({ localId, kind, n, content }: DeltaRecord): Promise<Content> {
    return openContent(content, this.dataKey, buildDeltaBinding(this.accountId, this.tag, localId, n, kind));
  }

  /** @param content ciphertext of the request */
  openPermissionRequest({ localId }: PermissionRecord, content: string): Promise<Content> {
    return openContent(content, this.dataKey, buildPermissionBinding(this.accountId, this.tag, localId));
  }

  /** Encrypts a message that this browser sends (docs/protocol/encryption.md#sealed-messages). */
  sealUserMessage(text: string, localId: string): Promise<string> {
    return sealContent(toText(text), this.dataKey, buildMessageBinding(this.accountId, this.tag, localId, 'user'));
  }

  /** Encrypts a message that comes with a decision (docs/protocol/encryption.md#sealed-answers). */
  sealDecisionMessage(text: string, contentHash: string): Promise<string> {
    return sealContent(toText(text), this.dataKey, buildDecisionMessageBinding(this.accountId, this.tag, contentHash));
  }

  /** Encrypts a file of such a message. @param n its number among the files of the message, from 1 */
  sealAttachment(file: NamedFile, localId: string, n: number): Promise<string> {
    const content = { mediaType: SEALED_ATTACHMENT_MEDIA_TYPE, bytes: encodeAttachment(file) };
    return sealContent(content, this.dataKey, buildAttachmentBinding(this.accountId, this.tag, localId, n));
  }

  /** Encrypts the JSON of answers to a question (docs/protocol/encryption.md#sealed-answers). */
  sealAnswers(json: string, contentHash: string): Promise<string> {
    const content = { mediaType: ANSWERS_MEDIA_TYPE, bytes: new TextEncoder().encode(json) };
    return sealContent(content, this.dataKey, buildAnswersBinding(this.accountId, this.tag, contentHash));
  }

  /** Returns the metadata that the session's devices wrote; empty if there is none. */
  async openMetadata({ metadata, version }: SessionRecord): Promise<SessionMetadata> {
    if (metadata === null) return {};
    const { bytes } = await openContent(
      metadata,
      this.dataKey,
      buildMetadataBinding(this.accountId, this.tag, version),
    );
    return readSessionMetadata(decodeText(bytes));
  }

  /** @param version of the session after the change */
  sealMetadata(metadata: SessionMetadata, version: number): Promise<string> {
    const content = { mediaType: 'application/json', bytes: new TextEncoder().encode(JSON.stringify(metadata)) };
    return sealContent(content, this.dataKey, buildMetadataBinding(this.accountId, this.tag, version));
  }
}

const toText = (text: string): Content => ({
  mediaType: 'text/plain; charset=utf-8',
  bytes: new TextEncoder().encode(text),
});

/** What devices write about a session (docs/protocol/device-api.md#reference-device). Other members may be there. */
export interface SessionMetadata extends Record<string, unknown> {
  title?: string;
  /** The title that the session's device has written. */
  autoTitle?: string;
}

/** Opens the data key of an artifact. @throws Error if it isn't sealed to the account's content key */
export function openDataKey(keys: AccountKeys, dataKey: SealedDataKey): Promise<DataKey> {
  return unsealDataKey(dataKey, keys.contentKey);
}

/** @throws ContentError if the content was modified or moved */
export function openArtifact(accountId: string, dataKey: DataKey, artifact: ArtifactRecord): Promise<Content> {
  const { tag, version, content } = artifact;
  return openContent(content, dataKey, buildArtifactBinding(accountId, tag, version));
}

/** Replaces bytes that are not valid UTF-8. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Reads JSON of any device: titles of other types are left out. */
function readSessionMetadata(text: string): SessionMetadata {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    const { title, autoTitle, ...others } = value as Record<string, unknown>;
    return {
      ...others,
      ...(typeof title === 'string' && { title }),
      ...(typeof autoTitle === 'string' && { autoTitle }),
    };
  } catch {
    return {};
  }
}
