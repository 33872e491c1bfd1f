import { CanActivate, ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RouteFact } from '../../common/http';
import { UnsentResponseLimiter } from './unsent-response-limiter';

const RESERVED_BYTES_METADATA = 'backpressure:reserved-bytes';

/** Reserves this many bytes for a response with content, from its admission until its actual size is known. */
export const ReserveResponseBytes = (bytes: number) => SetMetadata(RESERVED_BYTES_METADATA, bytes);

const routeReservedBytes = new RouteFact(
  ({ handler }) => (Reflect.getMetadata(RESERVED_BYTES_METADATA, handler) as number | undefined) ?? 0,
);

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
