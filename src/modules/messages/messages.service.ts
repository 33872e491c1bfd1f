import { Injectable, type OnModuleInit } from '@nestjs/common';
import { buildMessageBinding } from '@external-api/protocol';
import { AccountExporter } from '../accounts';
import type { DevicePrincipal, TokenPrincipal } from '../../access/auth';
import { notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { SessionAuthorizer, SessionsService, type StoredCiphertext } from '../sessions';
import { toDeviceMessageDto, toMessageDto, type DeviceMessageDto, type MessageDto } from './message.response.dto';
import type { ListMessagesQueryDto } from './messages.dto';
import { MessagesRepository } from './messages.repository';

@Injectable()
export class MessagesService implements OnModuleInit {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly sessions: SessionsService,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'messages',
      scanRows: (accountId) => this.messages.scanByAccount(accountId),
      toRecord: toDeviceMessageDto,
    });
  }

  /** @throws ApiError 404 */
  async listMessages(
    caller: TokenPrincipal,
    sessionId: string,
    query: ListMessagesQueryDto,
  ): Promise<Page<MessageDto>> {
    await this.sessions.getSessionRoute(caller.accountId, sessionId);
    return mapPage(await this.messages.findPage(sessionId, query), toMessageDto);
  }

  /** @throws ApiError 404 */
  async requireMessage(accountId: string, sessionId: string, id: string): Promise<void> {
    if (!(await this.messages.existsInSession(accountId, sessionId, id))) throw notFoundError('message');
  }

  /** @throws ApiError 404 */
  async getCiphertext(accountId: string, sessionId: string, id: string): Promise<StoredCiphertext> {
    const row = await this.messages.findWithContent(accountId, sessionId, id);
    if (!row) throw notFoundError('message');
    const { content, key_id: keyId } = row;
    return { content, keyId, place: buildMessageBinding(accountId, row.tag, row.local_id, row.role) };
  }

  /** Returns the newest message's ciphertext, if any. The caller must hold the session's lock. */
  findNewestCiphertext(sessionId: string): Promise<string | undefined> {
    return this.messages.findNewestContent(sessionId);
  }

  /** Lists messages with ciphertext, oldest first. @throws ApiError 404, 403 */
  async listMessagesForDevice(
    device: DevicePrincipal,
    sessionId: string,
    query: ListMessagesQueryDto,
  ): Promise<Page<DeviceMessageDto>> {
    await this.sessionAuthorizer.getSession(device, sessionId);
    return mapPage(await this.messages.findPageWithContent(sessionId, query), toDeviceMessageDto);
  }
}
