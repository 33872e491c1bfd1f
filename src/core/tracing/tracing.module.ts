import { Module } from '@nestjs/common';
import { MetricsModule } from '../metrics';
import { TraceExportService } from './trace-export.service';

/** Exports spans to a collector with OTEL_EXPORTER_OTLP_ENDPOINT. `startTracing` starts it. */
@Module({ imports: [MetricsModule], providers: [TraceExportService] })
export class TracingModule {}
