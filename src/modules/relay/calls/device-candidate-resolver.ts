import { Injectable } from '@nestjs/common';
import { MachinesService } from '../../machines';
import { SessionsService } from '../../sessions';
import type { DeviceCandidate } from '../bus/relay-call';
import { sessionNotActiveError } from '../relay.errors';
import type { UnsentRequest } from './relay-request';

/** Resolves the devices that may serve a call (docs/protocol/relay.md#which-device). */
@Injectable()
export class DeviceCandidateResolver {
  constructor(
    private readonly machines: MachinesService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Returns the candidates in order of preference.
   * @throws ApiError 404 `not_found`, 409 `session_not_active`
   */
  async findCandidates(accountId: string, request: UnsentRequest): Promise<DeviceCandidate[]> {
    if (request.method === 'session.message') return this.findMessageCandidates(accountId, request.sessionId);
    return [{ deviceId: await this.machines.getDeviceId(accountId, request.machineId) }];
  }

  /** Returns the session's host, then its machine's device, then the account device that connected last. */
  private async findMessageCandidates(accountId: string, sessionId: string): Promise<DeviceCandidate[]> {
    const session = await this.sessions.getSessionRoute(accountId, sessionId);
    if (session.state !== 'active') throw sessionNotActiveError();
    const candidates: DeviceCandidate[] = [];
    if (session.hostDeviceId) candidates.push({ deviceId: session.hostDeviceId });
    if (session.machineId) {
      candidates.push({ deviceId: await this.machines.getDeviceId(accountId, session.machineId) });
    }
    return [...candidates, { newest: 'account' }];
  }
}
