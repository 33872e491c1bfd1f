import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { HttpMetrics } from './http-metrics';
import { MetricsExporter } from './metrics-exporter';
import { DatabasePoolMetrics } from './database-pool-metrics';

/** Registry to which modules add their metrics, and the exporter that serves them on METRICS_PORT. */
@Module({
  providers: [
    { provide: Registry, useFactory: () => new Registry() },
    HttpMetrics,
    MetricsExporter,
    DatabasePoolMetrics,
  ],
  exports: [HttpMetrics, Registry],
})
export class MetricsModule {}
