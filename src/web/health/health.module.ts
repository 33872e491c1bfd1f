import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { HealthController } from './health.controller';
import { OperationsMetrics } from './operations-metrics';
import { ReadinessService } from './readiness.service';

@Module({
  imports: [MetricsModule, RedisModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [OperationsMetrics, ReadinessService],
})
export class HealthModule {}
