import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { HttpMetrics } from './http-metrics';
import { MetricsServer } from './metrics-server';
import { PoolMetrics } from './pool-metrics';

/** The registry that modules add their metrics to, served apart from the API on METRICS_PORT. */
@Global()
@Module({
  providers: [{ provide: Registry, useFactory: () => new Registry() }, HttpMetrics, MetricsServer, PoolMetrics],
  exports: [HttpMetrics, Registry],
})
export class MetricsModule {}
