import { Controller, Get, Header, Headers } from '@nestjs/common';
import { Public } from '../../access/auth';
import { ApiError } from '../../common/errors';
import { ReadinessService } from './readiness.service';

/** Health checks for load balancers and orchestrators. Unauthenticated, so they report only up or down. */
@Controller('health')
export class HealthController {
  constructor(private readonly readinessService: ReadinessService) {}

  /** Reports that the process runs. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  @Public()
  getLiveness() {
    return { status: 'ok' };
  }

  /**
   * Reports readiness: PostgreSQL answers, or the embedded database can write, and the instance is not shutting down.
   * Redis is only reported, unless the caller sends `X-Require-Redis: true`, for load balancers that fall back to live
   * instances. Earlier releases, which serve beside this one during a deploy, ignore a header but reject an unknown
   * query parameter.
   * @throws ApiError 503 `service_unavailable`
   */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @Public()
  async getReadiness(@Headers('x-require-redis') requiresRedis?: string) {
    const { isReady, details } = await this.readinessService.checkReadiness(requiresRedis === 'true');
    if (isReady) return { status: 'ok', details };
    const down = Object.entries(details).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
    throw new ApiError('service_unavailable', `Not ready: ${down.join(', ')}.`, {
      members: { outcome: 'not_delivered' },
      headers: { 'Retry-After': '5' },
    });
  }
}
