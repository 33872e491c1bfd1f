import { Injectable } from '@nestjs/common';
import {
  isFinalInvocationState,
  isFinalTurnState,
  type CancelInvocationResult,
  type CancelTurnResult,
  type EndSessionResult,
} from '@external-api/protocol';
import { getMachineLimit, machineNotAllowed, type Principal } from '../../../access/auth';
import { notFoundError } from '../../../common/errors';
import { InvocationsService } from '../../invocations';
import { MachinesService } from '../../machines';
import { PermissionDecisionsService } from '../../permission-requests';
import { sessionNotActiveError, SessionsService, type SessionRoute } from '../../sessions';
import { TurnsService } from '../../turns';
import type { DeviceCandidate } from '../../relay-bus';
import type { UnsentRequest } from './relay-request';

/** Where a call goes: to one of these devices, or nowhere because its result is known. */
export type CallRoute =
  | { candidates: readonly DeviceCandidate[] }
  | { candidates: null; result: Record<string, unknown> };

/** Resolves the devices that may serve a call (docs/protocol/relay.md#which-device). */
@Injectable()
export class CallRouteResolver {
  constructor(
    private readonly machines: MachinesService,
    private readonly sessions: SessionsService,
    private readonly turns: TurnsService,
    private readonly invocations: InvocationsService,
    private readonly permissionDecisions: PermissionDecisionsService,
  ) {}

  /**
   * Returns the candidates in order of preference, or the result of a call that has nothing left to do.
   * @throws ApiError 403 `machine_not_allowed`, 404 `not_found`, 409 `session_not_active` or `permission_not_pending`
   */
  async resolveRoute(caller: Principal, request: UnsentRequest): Promise<CallRoute> {
    const { accountId } = caller;
    const route = await this.findRoute(accountId, request);
    // What only reads a session is not limited (docs/protocol/external-api.md#machines-of-a-token).
    if (!route.candidates || request.method === 'session.options') return route;
    return { candidates: await this.limitCandidates(getMachineLimit(caller), accountId, request, route.candidates) };
  }

  private async findRoute(accountId: string, request: UnsentRequest): Promise<CallRoute> {
    switch (request.method) {
      case 'machine.invoke':
      case 'session.start':
      case 'agent.sessions':
      case 'invocation.start':
        return { candidates: [{ deviceId: await this.machines.getDeviceId(accountId, request.machineId) }] };
      case 'session.message':
        return { candidates: await this.findMessageCandidates(accountId, request.sessionId) };
      case 'session.options':
      case 'session.configure':
        return { candidates: await this.findActiveHosts(accountId, request.sessionId) };
      case 'session.cancel':
        return this.resolveCancelRoute(accountId, request.sessionId, request.params.turnId);
      case 'session.permission':
        return { candidates: [await this.findPermissionCandidate(request.sessionId, request.params.localId)] };
      case 'session.end':
        return this.resolveEndRoute(accountId, request.sessionId);
      case 'invocation.cancel':
        return this.resolveInvocationCancelRoute(accountId, request.machineId, request.params.invocationId);
      case 'invocation.output':
        return { candidates: [await this.findInvocationCandidate(accountId, request)] };
    }
  }

  /** Returns the devices that may run the agent of an active session. */
  private async findActiveHosts(accountId: string, sessionId: string): Promise<DeviceCandidate[]> {
    const session = await this.sessions.getSessionRoute(accountId, sessionId);
    if (session.state !== 'active') throw sessionNotActiveError();
    return this.findHosts(accountId, session);
  }

  /** Returns the session's host, then its machine's device, then the account device that connected last. */
  private async findMessageCandidates(accountId: string, sessionId: string): Promise<DeviceCandidate[]> {
    return [...(await this.findActiveHosts(accountId, sessionId)), { newest: 'account' }];
  }

  /**
   * Returns the devices that a queued message waits for: the session's hosts at this time, or any account device if it
   * has none.
   * @param machineIds machines that the sender is limited to; null for all
   * @throws ApiError 403 `machine_not_allowed`, 404
   */
  async findQueuedMessageCandidates(
    accountId: string,
    sessionId: string,
    machineIds: readonly string[] | null,
  ): Promise<readonly DeviceCandidate[]> {
    const hosts = await this.findHosts(accountId, await this.sessions.getSessionRoute(accountId, sessionId));
    const candidates = hosts.length > 0 ? hosts : [{ newest: 'account' as const }];
    return this.limitCandidates(machineIds, accountId, { sessionId }, candidates);
  }

  /**
   * Leaves only the device of the call's machine, if the caller is limited to machines and this is one of them. A call
   * of such a caller never falls back to another device.
   * @throws ApiError 403 `machine_not_allowed` if none is left
   */
  private async limitCandidates(
    machineIds: readonly string[] | null,
    accountId: string,
    target: { machineId?: string; sessionId?: string },
    candidates: readonly DeviceCandidate[],
  ): Promise<readonly DeviceCandidate[]> {
    if (machineIds === null) return candidates;
    const machineId = target.machineId ?? (await this.sessions.findMachineId(accountId, target.sessionId ?? ''));
    if (!machineId || !machineIds.includes(machineId)) throw machineNotAllowed();
    const deviceId = await this.machines.getDeviceId(accountId, machineId);
    const allowed = candidates.filter((candidate) => 'deviceId' in candidate && candidate.deviceId === deviceId);
    if (allowed.length === 0) throw machineNotAllowed();
    return allowed;
  }

  /** Returns the ids of the devices that may run the session's agent. @throws ApiError 404 */
  async findHostIds(accountId: string, sessionId: string): Promise<string[]> {
    const hosts = await this.findHosts(accountId, await this.sessions.getSessionRoute(accountId, sessionId));
    return [...new Set(hosts.flatMap((host) => ('deviceId' in host ? [host.deviceId] : [])))];
  }

  /** Returns the devices that may run the session's agent: the session's host, then its machine's device. */
  private async findHosts(accountId: string, session: SessionRoute): Promise<DeviceCandidate[]> {
    const candidates: DeviceCandidate[] = [];
    if (session.hostDeviceId) candidates.push({ deviceId: session.hostDeviceId });
    if (session.machineId) {
      candidates.push({ deviceId: await this.machines.getDeviceId(accountId, session.machineId) });
    }
    return candidates;
  }

  /** Returns the device of the request's turn, where its agent waits. */
  private async findPermissionCandidate(sessionId: string, localId: string): Promise<DeviceCandidate> {
    return { deviceId: await this.permissionDecisions.getPendingDeviceId(sessionId, localId) };
  }

  private async resolveEndRoute(accountId: string, sessionId: string): Promise<CallRoute> {
    const session = await this.sessions.getSessionRoute(accountId, sessionId);
    if (session.state === 'active') return { candidates: await this.findHosts(accountId, session) };
    return { candidates: null, result: { state: 'ended' } satisfies EndSessionResult };
  }

  /** An invocation runs on one device. A lost one may still run there, so it is cancelled like an open one. */
  private async resolveInvocationCancelRoute(accountId: string, machineId: string, id: string): Promise<CallRoute> {
    const { state, device_id: deviceId } = await this.invocations.requireInvocation(accountId, machineId, id);
    if (!isFinalInvocationState(state)) return { candidates: [{ deviceId }] };
    return { candidates: null, result: { state } satisfies CancelInvocationResult };
  }

  private async findInvocationCandidate(
    accountId: string,
    { machineId, params: { invocationId } }: { machineId: string; params: { invocationId: string } },
  ): Promise<DeviceCandidate> {
    return { deviceId: (await this.invocations.requireInvocation(accountId, machineId, invocationId)).device_id };
  }

  /** A turn belongs to one device. A lost turn may still run there, so it is cancelled like an open one. */
  private async resolveCancelRoute(accountId: string, sessionId: string, turnId: string): Promise<CallRoute> {
    const turn = await this.turns.findTurn(accountId, sessionId, turnId);
    if (!turn) throw notFoundError('turn');
    const { state, device_id: deviceId } = turn;
    if (!isFinalTurnState(state)) return { candidates: [{ deviceId }] };
    return { candidates: null, result: { state } satisfies CancelTurnResult };
  }
}
