import { Injectable } from '@nestjs/common';
import { getAccessLevel, type DevicePrincipal } from '../../access/auth';
import { forbiddenError, notFoundError } from '../../common/errors';
import type { SessionRow } from './session.response.dto';
import { SessionsRepository } from './sessions.repository';

/** Authorizes session changes. A machine device may change sessions it hosts, an account device any. */
@Injectable()
export class SessionAuthorizer {
  constructor(private readonly sessions: SessionsRepository) {}

  /**
   * Returns the session and locks it until the transaction ends.
   * @throws ApiError 404, 403 for a session of another host
   */
  async lockSession(device: DevicePrincipal, id: string): Promise<SessionRow> {
    return this.requireWriteAccess(device, await this.sessions.lockSession(device.accountId, id));
  }

  /** Like `lockSession`, without the lock. */
  async getSession(device: DevicePrincipal, id: string): Promise<SessionRow> {
    return this.requireWriteAccess(device, await this.sessions.find(device.accountId, id));
  }

  private requireWriteAccess(device: DevicePrincipal, row: SessionRow | undefined): SessionRow {
    if (!row) throw notFoundError('session');
    const canWriteAny = getAccessLevel(device.deviceKind, 'sessions.write') === 'any';
    if (canWriteAny || row.host_device_id === device.deviceId) return row;
    throw forbiddenError('A machine device can only change sessions that it hosts.');
  }
}
