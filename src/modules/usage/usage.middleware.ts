import { Injectable, NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { UsageRecorder } from './usage-recorder';

/** Counts each authenticated call once, when its response is sent or its connection closes. */
@Injectable()
export class UsageMiddleware implements NestMiddleware {
  constructor(private readonly recorder: UsageRecorder) {}

  use(request: Request, response: Response, next: NextFunction): void {
    response.on('close', () => {
      const { principal, rateLimit: rateLimitResult, operationId } = request;
      if (principal?.kind !== 'token' || !rateLimitResult || !operationId) return;
      this.recorder.recordCall({
        caller: principal,
        bucket: rateLimitResult.rateLimitBucket.name,
        operation: operationId,
        status: response.statusCode,
      });
    });
    next();
  }
}
