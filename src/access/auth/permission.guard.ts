import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbiddenError } from '../../common/errors';
import { accountSuspended, insufficientScope } from './auth.errors';
import { requireDevicePermission } from './device-permissions';
import { routePolicy } from './route-policy';

/** Checks the caller against the route's policy. Runs after the rate limits, so that refused calls count too. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const policy = routePolicy.get(context);
    if (policy?.kind === 'public' || policy?.kind === 'client') return true;
    const { principal } = context.switchToHttp().getRequest<Request>();
    if (policy && principal?.account.isSuspended) throw accountSuspended(policy.kind);

    if (policy?.kind === 'token' && principal?.kind === 'token') {
      const missing = policy.scopes.filter((scope) => !principal.scopes.includes(scope));
      if (missing.length > 0) throw insufficientScope(missing, policy.scopes);
      if (policy.isPatOnly && principal.type !== 'pat') {
        throw forbiddenError('This call requires a personal access token.');
      }
      return true;
    }
    if ((policy?.kind === 'device' || policy?.kind === 'control') && principal?.kind === 'device') {
      requireDevicePermission(principal, policy.permission);
      return true;
    }
    if (policy?.kind === 'browser' && principal?.kind === 'device') {
      if (principal.deviceKind !== 'account') throw forbiddenError('Only a person’s own device may do this.');
      return true;
    }
    return false;
  }
}
