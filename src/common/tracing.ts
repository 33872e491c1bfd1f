import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { getCurrentTraceparent, getRequestContext, runInRequestContext } from './request-context';

/**
 * Tracer of this process, null without tracing. A variable instead of the tracer of OpenTelemetry's API, which creates
 * contexts and spans also if nobody exports them (docs/decisions/0046).
 */
let activeTracer: Tracer | null = null;

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  /** `traceparent` of the parent. Without one, the span begins a trace. */
  parent: string | null | undefined;
  attributes?: Attributes;
}

export function setActiveTracer(tracer: Tracer | null): void {
  activeTracer = tracer;
}

export function isTracing(): boolean {
  return activeTracer !== null;
}

/** Returns null without tracing. */
export function startSpan({ name, kind, parent, attributes = {} }: SpanOptions): Span | null {
  return activeTracer?.startSpan(name, { kind, attributes }, toParentContext(parent)) ?? null;
}

/**
 * Starts a span of a call to another system. Returns null without tracing, and outside of a trace: the service's own
 * periodic work would otherwise fill the collector.
 */
export function startClientSpan(name: string, attributes: Attributes): Span | null {
  const parent = activeTracer && getCurrentTraceparent();
  return parent ? startSpan({ name, kind: SpanKind.CLIENT, parent, attributes }) : null;
}

/** Runs `work` in a span that ends with it. Without tracing, only runs it. */
export function runInSpan<T>(options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  const span = startSpan(options);
  return span ? runWithin(span, () => work(span)) : work(null);
}

async function runWithin<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await runInRequestContext({ ...getRequestContext(), ...toTraceContext(span) }, work);
  } catch (error) {
    failSpan(span, (error as Error).name);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the members of a request context with which log lines, events and spans belong to this span. */
export function toTraceContext(span: Span): { traceparent: string; spanId: string } {
  return { traceparent: formatTraceparent(span), spanId: span.spanContext().spanId };
}

/** Returns the header by which others continue the trace (W3C Trace Context §3.2). */
export function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Marks a span as failed.
 * @param code error code, never a message, which may contain values
 */
export function failSpan(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}

function toParentContext(traceparent: string | null | undefined): Context {
  if (!traceparent) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = traceparent.split('-');
  const spanContext = { traceId: traceId!, spanId: spanId!, traceFlags: parseInt(flags!, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}
