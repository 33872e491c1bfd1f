import { Injectable } from '@nestjs/common';
import { deviceReach, type DevicePrincipal } from '../auth';
import { forbidden, notFound } from '../common/errors';
import type { SessionRow } from './session-record';
import { SessionsRepository } from './sessions.repository';

/** Sessions that a device may change: a machine device those that it hosts, an account device any. */
@Injectable()
export class HostedSessions {
  constructor(private readonly sessions: SessionsRepository) {}

  /**
   * The session, locked until the transaction ends.
   * @throws ApiError 404, 403 for one that the machine does not host
   */
  async lock(device: DevicePrincipal, id: string): Promise<SessionRow> {
    return this.require(device, await this.sessions.lock(device.accountId, id));
  }

  /** As `lock`, to read only. */
  async find(device: DevicePrincipal, id: string): Promise<SessionRow> {
    return this.require(device, await this.sessions.find(device.accountId, id));
  }

  private require(device: DevicePrincipal, row: SessionRow | undefined): SessionRow {
    if (!row) throw notFound('session');
    const any = deviceReach(device.deviceKind, 'sessions.write') === 'any';
    if (any || row.host_device_id === device.deviceId) return row;
    throw forbidden('A machine device changes only the sessions that it hosts.');
  }
}
