import { Injectable } from '@nestjs/common';
import type { DevicePrincipal, TokenPrincipal } from '../auth';
import { notFound } from '../common/errors';
import { mapPage, type Page } from '../common/pages';
import { HostedSessions, SessionsService } from '../sessions';
import { messagePlace, type ContentPlace } from '../wire';
import { toDeviceMessageRecord, toMessageRecord, type DeviceMessageRecord, type MessageRecord } from './message-record';
import type { MessageQuery } from './messages.dto';
import { MessagesRepository } from './messages.repository';

/** A message's text as it is stored, and where it belongs. */
export interface MessageCiphertext {
  content: string;
  keyId: string;
  place: ContentPlace;
}

@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly sessions: SessionsService,
    private readonly hosted: HostedSessions,
  ) {}

  /** @throws ApiError 404 */
  async list(caller: TokenPrincipal, sessionId: string, query: MessageQuery): Promise<Page<MessageRecord>> {
    await this.sessions.routeOf(caller.accountId, sessionId);
    return mapPage(await this.messages.page(sessionId, query), toMessageRecord);
  }

  /** @throws ApiError 404 */
  async require(accountId: string, sessionId: string, id: string): Promise<void> {
    if (!(await this.messages.exists(accountId, sessionId, id))) throw notFound('message');
  }

  /** @throws ApiError 404 */
  async ciphertextOf(accountId: string, sessionId: string, id: string): Promise<MessageCiphertext> {
    const row = await this.messages.findWithContent(accountId, sessionId, id);
    if (!row) throw notFound('message');
    const { content, key_id: keyId } = row;
    return { content, keyId, place: messagePlace(accountId, row.tag, row.local_id, row.role) };
  }

  /** With ciphertext, oldest first. @throws ApiError 404, 403 */
  async listForDevice(
    device: DevicePrincipal,
    sessionId: string,
    query: MessageQuery,
  ): Promise<Page<DeviceMessageRecord>> {
    await this.hosted.find(device, sessionId);
    return mapPage(await this.messages.pageWithContent(sessionId, query), toDeviceMessageRecord);
  }
}
