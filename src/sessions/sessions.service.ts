import { Injectable } from '@nestjs/common';
import { deviceReach, type DevicePrincipal, type TokenPrincipal } from '../auth';
import { notFound } from '../common/errors';
import { mapPage, type Page } from '../common/pages';
import { ContentAccess } from './content-access';
import { HostedSessions } from './hosted-sessions';
import { toDeviceSessionRecord, toSessionRecord, type DeviceSessionRecord, type SessionRecord } from './session-record';
import type { SessionQuery } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** What the relay needs to know of a session. */
export interface SessionRoute {
  state: 'active' | 'ended';
  hostDeviceId: string | null;
  machineId: string | null;
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly access: ContentAccess,
    private readonly hosted: HostedSessions,
  ) {}

  async list(caller: TokenPrincipal, query: SessionQuery): Promise<Page<SessionRecord>> {
    const page = await this.sessions.page(caller.accountId, null, query);
    const readable = await this.access.readableSessions(
      caller,
      page.data.map((row) => row.id),
    );
    return mapPage(page, (row) => toSessionRecord(row, readable.has(row.id)));
  }

  async get(caller: TokenPrincipal, id: string): Promise<SessionRecord> {
    const row = await this.require(caller.accountId, id);
    const readable = await this.access.readableSessions(caller, [id]);
    return toSessionRecord(row, readable.has(id));
  }

  /** A machine device reads back the sessions that it hosts, an account device all. */
  async listForDevice(device: DevicePrincipal, query: SessionQuery): Promise<Page<DeviceSessionRecord>> {
    const all = deviceReach(device.deviceKind, 'sessions.read') === 'any';
    const page = await this.sessions.page(device.accountId, all ? null : device.deviceId, query);
    return mapPage(page, toDeviceSessionRecord);
  }

  /** @throws ApiError 404, 403 for one that the machine does not host */
  async getForDevice(device: DevicePrincipal, id: string): Promise<DeviceSessionRecord> {
    return toDeviceSessionRecord(await this.hosted.find(device, id));
  }

  /** @throws ApiError 404 */
  async routeOf(accountId: string, id: string): Promise<SessionRoute> {
    const row = await this.require(accountId, id);
    return { state: row.state, hostDeviceId: row.host_device_id, machineId: row.machine_id };
  }

  private async require(accountId: string, id: string) {
    const row = await this.sessions.find(accountId, id);
    if (!row) throw notFound('session');
    return row;
  }
}
