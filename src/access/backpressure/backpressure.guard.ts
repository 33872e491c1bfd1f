import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { RESERVED_BYTES_METADATA } from './reserve-response-bytes.decorator';
import { UnsentResponseLimiter } from './unsent-response-limiter';

/** Refuses callers that leave too many response bytes unread. Runs after authentication and permissions. */
@Injectable()
export class BackpressureGuard implements CanActivate {
  constructor(
    private readonly unsentResponseLimiter: UnsentResponseLimiter,
    private readonly reflector: Reflector,
  ) {}

  /** @throws ApiError 503 `service_unavailable` */
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { principal, ip } = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const reservedBytes = this.reflector.get<number | undefined>(RESERVED_BYTES_METADATA, context.getHandler()) ?? 0;
    this.unsentResponseLimiter.admitResponse(principal?.accountId ?? `address ${ip}`, response, reservedBytes);
    return true;
  }
}
