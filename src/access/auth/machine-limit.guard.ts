import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { notFoundError } from '../../common/errors';
import { machineNotAllowed } from './auth.errors';
import { findMachineTarget } from './machine-target';
import type { TokenPrincipal } from './principal';
import { routePolicy } from './route-policy';

/** Port that tells the machines of sessions, implemented by `sessions`. */
export abstract class SessionMachineReader {
  /** Returns null for a session without a machine, and undefined if the account has no such session. */
  abstract findMachineId(accountId: string, sessionId: string): Promise<string | null | undefined>;
}

/**
 * Refuses what a token that is limited to machines does elsewhere (docs/decisions/0073). It covers every route whose
 * scopes reach machines, before a stored response is replayed. Only such a token costs a look-up, on the routes of
 * sessions.
 */
@Injectable()
export class MachineLimitGuard implements CanActivate {
  constructor(private readonly sessionMachineReader: SessionMachineReader) {}

  /** @throws ApiError 403 `machine_not_allowed`, and 404 for an unknown session */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { principal } = request;
    if (principal?.kind !== 'token' || principal.machineIds === null) return true;
    const policy = routePolicy.get(context);
    const { path } = request.route as { path: string };
    const target = policy?.kind === 'token' ? findMachineTarget(policy.scopes, path) : 'none';
    if (target === 'none') return true;
    const machineId = await this.findMachineId(principal, target, request.params.id as string);
    if (machineId === null || !principal.machineIds.includes(machineId)) throw machineNotAllowed();
    return true;
  }

  private async findMachineId(
    { accountId }: TokenPrincipal,
    target: 'machine' | 'session' | 'unknown',
    id: string,
  ): Promise<string | null> {
    if (target === 'machine') return id;
    if (target === 'unknown') return null;
    const machineId = await this.sessionMachineReader.findMachineId(accountId, id);
    if (machineId === undefined) throw notFoundError('session');
    return machineId;
  }
}
