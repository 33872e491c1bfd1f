import { Injectable, NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { UsageRecorder } from './usage-recorder';

/** Counts every authenticated call once, when its answer has gone out or its caller has. */
@Injectable()
export class UsageMiddleware implements NestMiddleware {
  constructor(private readonly recorder: UsageRecorder) {}

  use(request: Request, response: Response, next: NextFunction): void {
    response.once('close', () => {
      const { principal, draw, operationId } = request;
      if (principal?.kind !== 'token' || !draw || !operationId) return;
      this.recorder.count({
        caller: principal,
        bucket: draw.bucket.name,
        operation: operationId,
        status: response.statusCode,
      });
    });
    next();
  }
}
