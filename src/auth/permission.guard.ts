import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden } from '../common/errors';
import { accountSuspended, insufficientScope } from './auth.errors';
import { deviceReach } from './device-permissions';
import { policyOf } from './policy';

/** After the rate buckets: whether this caller may do what the route does. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const policy = policyOf(context.getHandler());
    if (policy?.kind === 'public' || policy?.kind === 'client') return true;
    const { principal } = context.switchToHttp().getRequest<Request>();
    if (policy && principal?.account.suspended) throw accountSuspended(policy.kind);

    if (policy?.kind === 'token' && principal?.kind === 'token') {
      const missing = policy.scopes.filter((scope) => !principal.scopes.includes(scope));
      if (missing.length > 0) throw insufficientScope(missing, policy.scopes);
      return true;
    }
    if (policy?.kind === 'device' && principal?.kind === 'device') {
      if (deviceReach(principal.deviceKind, policy.permission) === 'no') {
        throw forbidden(`A ${principal.deviceKind} device may not do this.`);
      }
      return true;
    }
    if (policy?.kind === 'session' && principal?.kind === 'device') {
      if (principal.deviceKind !== 'account') throw forbidden('Only a person’s own device may do this.');
      return true;
    }
    return false;
  }
}
