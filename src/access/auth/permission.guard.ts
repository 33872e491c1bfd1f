import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbiddenError } from '../../common/errors';
import { accountSuspended, insufficientScope } from './auth.errors';
import { getAccessLevel } from './device-permissions';
import { getRoutePolicy } from './route-policy';

/** Checks the caller against the route's policy. Runs after the rate limits, so that refused calls count too. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const policy = getRoutePolicy(context.getHandler());
    if (policy?.kind === 'public' || policy?.kind === 'client') return true;
    const { principal } = context.switchToHttp().getRequest<Request>();
    if (policy && principal?.account.isSuspended) throw accountSuspended(policy.kind);

    if (policy?.kind === 'token' && principal?.kind === 'token') {
      const missing = policy.scopes.filter((scope) => !principal.scopes.includes(scope));
      if (missing.length > 0) throw insufficientScope(missing, policy.scopes);
      return true;
    }
    if (policy?.kind === 'device' && principal?.kind === 'device') {
      if (getAccessLevel(principal.deviceKind, policy.permission) === 'no') {
        throw forbiddenError(`A ${principal.deviceKind} device may not do this.`);
      }
      return true;
    }
    if (policy?.kind === 'browser' && principal?.kind === 'device') {
      if (principal.deviceKind !== 'account') throw forbiddenError('Only a person’s own device may do this.');
      return true;
    }
    return false;
  }
}
