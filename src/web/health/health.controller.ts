import { Controller, Get, Header } from '@nestjs/common';
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

  /** Reports readiness: the database and Redis respond and the instance is not shutting down. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @Public()
  async getReadiness() {
    const result = await this.readinessService.checkReadiness();
    if (result.status === 'ok') return result;
    const down = Object.entries(result.details).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
    throw new ApiError('service_unavailable', `Not ready: ${down.join(', ')}.`, {
      headers: { 'Retry-After': '5' },
    });
  }
}
