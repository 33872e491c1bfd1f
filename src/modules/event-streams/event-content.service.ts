import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { computeContentHash } from '@external-api/protocol';
import type { Principal } from '../../access/auth';
import { ApiError } from '../../common/errors';
import { ContentReader, type ContentReadResult } from '../key-grants';
import { MessagesService } from '../messages';
import { PermissionRequestsService } from '../permission-requests';
import { toEventRecipient } from '../event-access';
import type { LoggedEvent } from './event-log.repository';

/** Encoding of the content that a stream adds to its events. */
export type ContentEncoding = ContentReadResult['encoding'];

/** Larger content is left to the content endpoints. */
const MAX_CONTENT_BYTES = 65_536;

/** Payload of `message.created` and `permission.requested`. */
interface ContentEventPayload {
  data: { id: string; sessionId: string };
}

/** Adds content to the events of messages and permission requests (docs/protocol/event-streams.md#content). */
@Injectable()
export class EventContentService {
  constructor(
    private readonly messages: MessagesService,
    private readonly permissionRequests: PermissionRequestsService,
    private readonly contentReader: ContentReader,
  ) {}

  /** Returns the payloads of the events that have content, by event id. */
  async renderPayloads(
    events: readonly LoggedEvent[],
    caller: Principal,
    encoding: ContentEncoding,
  ): Promise<Map<string, string>> {
    const payloads = new Map<string, string>();
    for (const event of events) {
      if (event.type !== 'message.created' && event.type !== 'permission.requested') continue;
      const payload = JSON.parse(event.payload) as ContentEventPayload;
      const data = { ...payload.data, ...(await this.readContent(event.type, payload.data, caller, encoding)) };
      payloads.set(event.id, JSON.stringify({ ...payload, data }));
    }
    return payloads;
  }

  private async readContent(
    type: 'message.created' | 'permission.requested',
    { id, sessionId }: ContentEventPayload['data'],
    caller: Principal,
    encoding: ContentEncoding,
  ): Promise<{ content: object } | { content: null; contentReason: string }> {
    if (!toEventRecipient(caller).scopes.includes('sessions:content')) return missingContent('insufficient_scope');
    const records = type === 'message.created' ? this.messages : this.permissionRequests;
    let contentHash: string | undefined;
    const loadCiphertext = async () => {
      const ciphertext = await records.getCiphertext(caller.accountId, sessionId, id);
      if (countPlaintextBytes(ciphertext.content) > MAX_CONTENT_BYTES) throw new ContentTooLargeError();
      if (type === 'permission.requested') contentHash = computeContentHash(ciphertext.content);
      return ciphertext;
    };
    try {
      const request = { sessionId, artifactId: null, encoding, loadCiphertext };
      const result = await this.contentReader.readContent(caller, request);
      return { content: { ...describeContent(result), ...(contentHash !== undefined && { contentHash }) } };
    } catch (error) {
      if (error instanceof ContentTooLargeError) return missingContent('too_large');
      if (error instanceof ApiError) return missingContent(error.code);
      throw error;
    }
  }
}

class ContentTooLargeError extends Error {}

/** @param contentReason `too_large`, `insufficient_scope`, or the error code of the content endpoint */
function missingContent(contentReason: string) {
  return { content: null, contentReason } as const;
}

/** Returns the length of what a compact JWE with A256GCM encrypts, which is that of its ciphertext. */
function countPlaintextBytes(jwe: string): number {
  return Math.floor(((jwe.split('.')[3]?.length ?? 0) * 3) / 4);
}

/** Returns the members that the content endpoints respond with, without the ids, which the event has. */
function describeContent(result: ContentReadResult): object {
  const { encoding, grantId } = result;
  if (result.encoding === 'sealed') return { encoding, content: result.content, key: result.key, grantId };
  const { bytes, mediaType } = result;
  const contentEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, mediaType, content: bytes.toString(contentEncoding), contentEncoding, grantId };
}
