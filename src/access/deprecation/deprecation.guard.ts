import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Config } from '../../core/config';
import { buildDeprecationDocPath, routeDeprecation, type Deprecation } from './deprecation';

/**
 * Sets the headers of deprecated routes, and throws 410 `gone` after the sunset. Runs before authentication, so that
 * every response has the headers.
 */
@Injectable()
export class DeprecationGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const deprecation = context.getType() === 'http' ? routeDeprecation.get(context) : undefined;
    if (!deprecation) return true;
    context.switchToHttp().getResponse<Response>().set(buildDeprecationHeaders(deprecation, this.config.publicUrl));
    if (deprecation.sunsetAt !== null && deprecation.sunsetAt <= this.clock.now()) {
      throw new ApiError('gone', `This route is gone. ${deprecation.message}`);
    }
    return true;
  }
}

/** Returns `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and `Link` (RFC 9745 §3, RFC 5829). */
export function buildDeprecationHeaders(deprecation: Deprecation, publicUrl: string): Record<string, string> {
  const { deprecatedAt, sunsetAt, replacement } = deprecation;
  const links = [`<${publicUrl}${buildDeprecationDocPath(deprecation)}>; rel="deprecation"; type="text/html"`];
  if (replacement) links.push(`<${publicUrl}${replacement}>; rel="successor-version"`);
  return {
    Deprecation: `@${Math.floor(deprecatedAt / 1000)}`,
    ...(sunsetAt !== null && { Sunset: new Date(sunsetAt).toUTCString() }),
    Link: links.join(', '),
  };
}
