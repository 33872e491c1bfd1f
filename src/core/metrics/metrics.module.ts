import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { HttpMetrics } from './http-metrics';
import { MetricsExporter } from './metrics-exporter';

/** Registry to which modules add their metrics, and the exporter that serves them on METRICS_PORT. */
@Module({
  providers: [{ provide: Registry, useFactory: () => new Registry() }, HttpMetrics, MetricsExporter],
  exports: [HttpMetrics, Registry],
})
export class MetricsModule {}
