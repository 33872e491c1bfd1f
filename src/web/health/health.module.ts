import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { MetricsModule } from '../../core/metrics';
import { RedisModule } from '../../core/redis';
import { DatabaseCheckRepository } from './database-check.repository';
import { HealthController } from './health.controller';
import { OperationsMetrics } from './operations-metrics';
import { ReadinessService } from './readiness.service';

@Module({
  imports: [MetricsModule, RedisModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [DatabaseCheckRepository, OperationsMetrics, ReadinessService],
})
export class HealthModule {}
