import { Injectable } from '@nestjs/common';
import type { DevicePrincipal, TokenPrincipal } from '../auth';
import { mapPage, type Page } from '../common/pages';
import { HostedSessions, SessionsService } from '../sessions';
import {
  toDeviceMessageRecord,
  toMessageRecord,
  type DeviceMessageRecord,
  type MessageRecord,
} from './message-record';
import type { MessageQuery } from './messages.dto';
import { MessagesRepository } from './messages.repository';

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
