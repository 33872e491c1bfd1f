import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NoopSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { MINUTE } from '../../common/clock';
import { SERVICE_VERSION } from '../../common/version';
import type { TracingConfig } from '../config';

const TRACES_PATH = 'v1/traces';
const FAILURE_LOG_INTERVAL_MS = MINUTE;

/** Sampled spans since the start. A full queue and failed exports lose the difference. */
export interface SpanCounts {
  ended: number;
  exported: number;
}

/**
 * Opens the SDK, which this file alone loads: only a process that exports spans imports it. Spans are exported in
 * batches, and none waits for the collector.
 */
export function openTracerProvider(config: TracingConfig, spanCounts: SpanCounts): TracerProvider {
  const exporter = new OTLPTraceExporter({ url: buildTracesUrl(config.endpoint), headers: config.headers });
  return new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(
        resourceFromAttributes({
          'service.name': config.serviceName,
          'service.version': SERVICE_VERSION,
          'service.instance.id': randomUUID(),
        }),
      ),
    sampler: createSampler(config.sampler),
    spanProcessors: [
      new CountingSpanProcessor(spanCounts),
      new BatchSpanProcessor({ exporter: new ReportingSpanExporter(exporter, spanCounts) }),
    ],
  });
}

/** Appends the path of traces to the address of the collector, as the OTLP specification prescribes. */
function buildTracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${TRACES_PATH}`;
  return url.href;
}

function createSampler({ name, ratio }: TracingConfig['sampler']): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

class CountingSpanProcessor extends NoopSpanProcessor {
  constructor(private readonly spanCounts: SpanCounts) {
    super();
  }

  override onEnd(): void {
    this.spanCounts.ended += 1;
  }
}

/** Exporter that counts exported spans, and logs at most once a minute that the collector doesn't accept them. */
class ReportingSpanExporter implements SpanExporter {
  private readonly logger = new Logger('Tracing');
  /** `performance.now()` */
  private failureLoggedAt = -Infinity;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly spanCounts: SpanCounts,
  ) {}

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.spanCounts.exported += spans.length;
      else this.logFailure(spans.length, result.error);
      onResult(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private logFailure(spans: number, error: NodeJS.ErrnoException | undefined): void {
    const now = performance.now();
    if (now - this.failureLoggedAt < FAILURE_LOG_INTERVAL_MS) return;
    this.failureLoggedAt = now;
    // Node.js describes a failed connection to a name with several addresses by a code only.
    const reason = error?.message || error?.code;
    this.logger.warn({ spans, reason }, 'span export failed');
  }
}
