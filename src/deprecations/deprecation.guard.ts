import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { Config } from '../config';
import { deprecationOf, type Deprecation } from './deprecation';

/** Before the credential: a deprecated route says so on every answer, and is gone after its sunset. */
@Injectable()
export class DeprecationGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const deprecation = context.getType() === 'http' ? deprecationOf(context.getHandler()) : undefined;
    if (!deprecation) return true;
    context.switchToHttp().getResponse<Response>().set(deprecationHeaders(deprecation, this.config.publicUrl));
    if (deprecation.sunsetAt !== null && deprecation.sunsetAt <= this.clock.now()) {
      throw new ApiError('gone', `This route is gone. ${deprecation.message}`);
    }
    return true;
  }
}

/** RFC 9745 `Deprecation`, RFC 8594 `Sunset`, and the links of RFC 9745 §3 and RFC 5829. */
export function deprecationHeaders(deprecation: Deprecation, publicUrl: string): Record<string, string> {
  const { deprecatedAt, sunsetAt, replacement, docPath } = deprecation;
  const links = [`<${publicUrl}${docPath}>; rel="deprecation"; type="text/html"`];
  if (replacement) links.push(`<${publicUrl}${replacement}>; rel="successor-version"`);
  return {
    Deprecation: `@${Math.floor(deprecatedAt / 1000)}`,
    ...(sunsetAt !== null && { Sunset: new Date(sunsetAt).toUTCString() }),
    Link: links.join(', '),
  };
}
