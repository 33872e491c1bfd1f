import { Injectable, type OnModuleInit } from '@nestjs/common';
import { buildPermissionBinding } from '@external-api/protocol';
import { AccountExporter } from '../accounts';
import { getAccessLevel, type DevicePrincipal, type Principal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, forbiddenError, notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { SessionAuthorizer, SessionsService, type StoredCiphertext } from '../sessions';
import {
  toDevicePermissionRequestDto,
  toPermissionRequestDto,
  type DevicePermissionRequestDto,
  type PermissionRequestDto,
  type PermissionRequestMetadataRow,
} from './permission-request.response.dto';
import type { ListAccountPermissionRequestsQueryDto, ListPermissionRequestsQueryDto } from './permission-requests.dto';
import { PermissionRequestsRepository } from './permission-requests.repository';

/** Reads permission requests for callers, devices and exports. */
@Injectable()
export class PermissionRequestsService implements OnModuleInit {
  constructor(
    private readonly permissionRequests: PermissionRequestsRepository,
    private readonly sessions: SessionsService,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly accountExporter: AccountExporter,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'permissionRequests',
      scanRows: (accountId) => this.permissionRequests.scanByAccount(accountId),
      toRecord: (row) => toDevicePermissionRequestDto(row, this.clock.currentDate()),
    });
  }

  /** @throws ApiError 404 */
  async listPermissionRequests(
    caller: Principal,
    sessionId: string,
    query: ListPermissionRequestsQueryDto,
  ): Promise<Page<PermissionRequestDto>> {
    await this.sessions.getSessionRoute(caller.accountId, sessionId);
    const now = this.clock.currentDate();
    const page = await this.permissionRequests.findPage(sessionId, query, now);
    return mapPage(page, (row) => toPermissionRequestDto(row, now));
  }

  /** @throws ApiError 404 */
  async getPermissionRequest(caller: Principal, sessionId: string, id: string): Promise<PermissionRequestDto> {
    const row = await this.requirePermissionRequest(caller.accountId, sessionId, id);
    return toPermissionRequestDto(row, this.clock.currentDate());
  }

  /** @throws ApiError 404 */
  async requirePermissionRequest(
    accountId: string,
    sessionId: string,
    id: string,
  ): Promise<PermissionRequestMetadataRow> {
    const row = await this.permissionRequests.find(accountId, sessionId, id);
    if (!row) throw notFoundError('permission request');
    return row;
  }

  /** @throws ApiError 404 for an unknown request, and for content that has been deleted */
  async getCiphertext(accountId: string, sessionId: string, id: string): Promise<StoredCiphertext> {
    const row = await this.permissionRequests.findWithContent(accountId, sessionId, id);
    if (!row) throw notFoundError('permission request');
    const { content, key_id: keyId, tag, local_id: localId } = row;
    if (content === null) throw new ApiError('not_found', 'The content of this permission request has been deleted.');
    return { content, keyId, place: buildPermissionBinding(accountId, tag, localId) };
  }

  /** Lists requests with ciphertext, oldest first. @throws ApiError 404, 403 */
  async listPermissionRequestsForDevice(
    device: DevicePrincipal,
    sessionId: string,
    query: ListPermissionRequestsQueryDto,
  ): Promise<Page<DevicePermissionRequestDto>> {
    await this.sessionAuthorizer.getSession(device, sessionId);
    const now = this.clock.currentDate();
    const page = await this.permissionRequests.findPageWithContent(sessionId, query, now);
    return mapPage(page, (row) => toDevicePermissionRequestDto(row, now));
  }

  /** Lists the requests of all sessions with ciphertext, newest first. @throws ApiError 403 for a machine device */
  async listAccountPermissionRequests(
    { accountId, deviceKind }: DevicePrincipal,
    query: ListAccountPermissionRequestsQueryDto,
  ): Promise<Page<DevicePermissionRequestDto>> {
    if (getAccessLevel(deviceKind, 'sessions.read') !== 'any') {
      throw forbiddenError('A machine device can only list the permission requests of a session that it hosts.');
    }
    const now = this.clock.currentDate();
    const page = await this.permissionRequests.findAccountPageWithContent(accountId, query, now);
    return mapPage(page, (row) => toDevicePermissionRequestDto(row, now));
  }
}
