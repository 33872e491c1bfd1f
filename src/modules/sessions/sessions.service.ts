import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  buildMessageBinding,
  buildMetadataBinding,
  findContentFormatViolation,
  type ContentBinding,
} from '@external-api/protocol';
import { AccountExporter } from '../accounts';
import {
  getAccessLevel,
  type DevicePrincipal,
  type SessionMachineReader,
  type TokenPrincipal,
} from '../../access/auth';
import { ApiError, notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { SessionContentPolicy } from './session-content-policy';
import { SessionAuthorizer } from './session-authorizer';
import { toDeviceSessionDto, toSessionDto, type DeviceSessionDto, type SessionDto } from './session.response.dto';
import type { ListSessionsQueryDto } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** Routing data of a session, for the relay. */
export interface SessionRoute {
  state: 'active' | 'ended';
  hostDeviceId: string | null;
  machineId: string | null;
}

/** Ciphertext of a session's record, or of an artifact, and the ids that it is bound to. */
export interface StoredCiphertext {
  content: string;
  keyId: string;
  place: ContentBinding;
}

@Injectable()
export class SessionsService implements OnModuleInit, SessionMachineReader {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly contentPolicy: SessionContentPolicy,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'sessions',
      scanRows: (accountId) => this.sessions.scanByAccount(accountId),
      toRecord: toDeviceSessionDto,
    });
  }

  async listSessions(caller: TokenPrincipal, query: ListSessionsQueryDto): Promise<Page<SessionDto>> {
    const page = await this.sessions.findPage(caller.accountId, query);
    const readableIds = await this.contentPolicy.findReadableSessionIds(
      caller,
      page.data.map((row) => row.id),
    );
    return mapPage(page, (row) => toSessionDto(row, readableIds.has(row.id)));
  }

  /** Returns whether an agent has ever worked in a session that still exists. */
  hasAgentSession(accountId: string): Promise<boolean> {
    return this.sessions.hasAgentSession(accountId);
  }

  async getSession(caller: TokenPrincipal, id: string): Promise<SessionDto> {
    const row = await this.requireSession(caller.accountId, id);
    const readableIds = await this.contentPolicy.findReadableSessionIds(caller, [id]);
    return toSessionDto(row, readableIds.has(id));
  }

  /** Lists sessions. A machine device gets those it hosts, an account device all. */
  async listSessionsForDevice(device: DevicePrincipal, query: ListSessionsQueryDto): Promise<Page<DeviceSessionDto>> {
    const canReadAll = getAccessLevel(device.deviceKind, 'sessions.read') === 'any';
    const page = await this.sessions.findPageWithContent(device.accountId, canReadAll ? null : device.deviceId, query);
    return mapPage(page, toDeviceSessionDto);
  }

  /** @throws ApiError 404, 403 for a session of another host */
  async getSessionForDevice(device: DevicePrincipal, id: string): Promise<DeviceSessionDto> {
    return toDeviceSessionDto(await this.sessionAuthorizer.getSession(device, id));
  }

  /** @throws ApiError 404 */
  async getSessionRoute(accountId: string, id: string): Promise<SessionRoute> {
    const row = await this.requireSession(accountId, id);
    return { state: row.state, hostDeviceId: row.host_device_id, machineId: row.machine_id };
  }

  async findMachineId(accountId: string, id: string): Promise<string | null | undefined> {
    return (await this.sessions.find(accountId, id))?.machine_id;
  }

  /** Returns what content of the session is encrypted with and bound to. @throws ApiError 404 */
  async getContentKey(accountId: string, id: string): Promise<{ tag: string; keyId: string }> {
    const row = await this.requireSession(accountId, id);
    return { tag: row.tag, keyId: row.data_key_id };
  }

  /** Returns the encrypted metadata, with what it is bound to. @throws ApiError 404, also if there is none */
  async getCiphertext(accountId: string, id: string): Promise<StoredCiphertext> {
    const row = await this.requireSession(accountId, id);
    if (row.metadata === null) throw new ApiError('not_found', 'The device has stored no title of this session.');
    const place = buildMetadataBinding(accountId, row.tag, row.version);
    return { content: row.metadata, keyId: row.data_key_id, place };
  }

  /**
   * Returns why a sealed message of the role `user` does not belong into the session, or null if it does.
   * @throws ApiError 404
   */
  async findMessageFormatViolation(
    accountId: string,
    id: string,
    { sealedContent, localId }: { sealedContent: string; localId: string },
  ): Promise<string | null> {
    const row = await this.requireSession(accountId, id);
    const place = buildMessageBinding(accountId, row.tag, localId, 'user');
    return findContentFormatViolation(sealedContent, row.data_key_id, place);
  }

  private async requireSession(accountId: string, id: string) {
    const row = await this.sessions.find(accountId, id);
    if (!row) throw notFoundError('session');
    return row;
  }
}
