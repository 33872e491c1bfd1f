export * from './add-metrics';
export { HttpMetrics } from './http-metrics';
export * from './metrics.module';
export * from './metrics-exporter';
export { DatabaseGauges } from './database-gauges';
