import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../auth';
import { ApiError } from '../common/errors';
import { Readiness } from './readiness';

/** For load balancers and orchestrators; unauthenticated, and it tells nothing but up or down. */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  @Public()
  live() {
    return { status: 'ok' };
  }

  /** It can serve: database and Redis answer, and it is not draining. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @Public()
  async ready() {
    const result = await this.readiness.check();
    if (result.status === 'ok') return result;
    const down = Object.entries(result.details).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
    throw new ApiError('service_unavailable', `Not ready: ${down.join(', ')}.`, {
      headers: { 'Retry-After': '5' },
    });
  }
}
