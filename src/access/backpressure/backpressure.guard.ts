import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { routeReservedBytes } from './reserve-response-bytes.decorator';
import { UnsentResponseLimiter } from './unsent-response-limiter';

/** Refuses callers that leave too many response bytes unread. Runs after authentication and permissions. */
@Injectable()
export class BackpressureGuard implements CanActivate {
  constructor(private readonly unsentResponseLimiter: UnsentResponseLimiter) {}

  /** @throws ApiError 503 `service_unavailable` */
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { principal, ip } = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const owner = principal?.accountId ?? `address ${ip}`;
    this.unsentResponseLimiter.admitResponse(owner, response, routeReservedBytes.get(context));
    return true;
  }
}
