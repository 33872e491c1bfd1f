import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { Registry } from 'prom-client';
import { setActiveTracer } from '../../common/tracing';
import { SERVICE_VERSION } from '../../common/version';
import { Config, type TracingConfig } from '../config';
import { addCounter } from '../metrics';

const SCOPE_NAME = 'external-api';
/** An unreachable collector must not hold up the shutdown. */
const FLUSH_TIMEOUT_MS = 5_000;

const spanCounts = { ended: 0, exported: 0 };
let tracerProvider: TracerProvider | null = null;

/**
 * Starts to trace this process, before it opens connections. Without an endpoint, it does nothing and loads nothing
 * (docs/decisions/0046).
 */
export async function startTracing(config: TracingConfig | null): Promise<void> {
  if (!config || tracerProvider) return;
  const { openTracerProvider } = await import('./open-telemetry.js');
  const opened = openTracerProvider(config, spanCounts);
  tracerProvider = opened;
  setActiveTracer(opened.getTracer(SCOPE_NAME, SERVICE_VERSION));
}

/** Exports the last spans at shutdown, and counts spans for metrics. */
@Injectable()
export class TraceExportService implements OnApplicationShutdown {
  constructor(registry: Registry, { tracing }: Config) {
    if (!tracing) return;
    addCounter(registry, 'trace_spans_total', 'Sampled spans that ended', () => spanCounts.ended);
    addCounter(registry, 'trace_exported_spans_total', 'Spans that the collector accepted', () => spanCounts.exported);
  }

  /** Requests, relayed calls and attempts of webhooks have ended. */
  async onApplicationShutdown(): Promise<void> {
    const endingProvider = tracerProvider;
    if (!endingProvider) return;
    tracerProvider = null;
    setActiveTracer(null);
    // Failures are logged by the exporter.
    const flushed = endingProvider.shutdown().catch(() => undefined);
    await Promise.race([flushed, sleep(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
