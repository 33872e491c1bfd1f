import { SpanKind } from '@opentelemetry/api';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { getCurrentTraceparent, getLogContext, runInRequestContext } from './request-context';
import { formatTraceparent, runInSpan, setActiveTracer, startClientSpan, startSpan } from './tracing';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const OPTIONS = { name: 'work', kind: SpanKind.INTERNAL, parent: PARENT };

describe('tracing', () => {
  const exporter = new InMemorySpanExporter();
  const startTracing = () => {
    const provider = new TracerProvider({
      sampler: new AlwaysOnSampler(),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    setActiveTracer(provider.getTracer('test'));
  };
  afterEach(() => {
    setActiveTracer(null);
    exporter.reset();
  });

  it('runs work in a span, which is the parent of what the work calls', async () => {
    startTracing();
    const context = { requestId: 'req_1', traceparent: PARENT };
    const traceparent = await runInRequestContext(context, () =>
      runInSpan(OPTIONS, async (span) => {
        startClientSpan('SELECT', {})!.end();
        expect(getLogContext()).toEqual({ requestId: 'req_1', traceId: TRACE_ID, spanId: span!.spanContext().spanId });
        expect(getCurrentTraceparent()).toBe(formatTraceparent(span!));
        return Promise.resolve(getCurrentTraceparent());
      }),
    );
    const [statement, work] = exporter.getFinishedSpans();
    expect(traceparent).toBe(`00-${TRACE_ID}-${work!.spanContext().spanId}-01`);
    expect(statement!.parentSpanContext?.spanId).toBe(work!.spanContext().spanId);
    expect(work!.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  it('ends the span of work that fails, with the name of the error and without its message', async () => {
    startTracing();
    const work = runInSpan(OPTIONS, () => Promise.reject(new RangeError('value 7')));
    await expect(work).rejects.toThrow('value 7');
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ status: { message: 'RangeError' }, attributes: { 'error.type': 'RangeError' } });
    expect(JSON.stringify(span!.events)).toBe('[]');
  });

  it('begins a trace without a parent, but not for calls of periodic work to other systems', () => {
    startTracing();
    expect(startClientSpan('SELECT', {})).toBeNull();
    expect(startSpan({ ...OPTIONS, parent: null })!.spanContext().traceId).not.toBe(TRACE_ID);
  });

  it('only runs the work without a tracer', async () => {
    await runInRequestContext({ traceparent: PARENT }, () =>
      runInSpan(OPTIONS, (span) => {
        expect(span).toBeNull();
        expect(getCurrentTraceparent()).toBe(PARENT);
        return Promise.resolve();
      }),
    );
    expect(startSpan(OPTIONS)).toBeNull();
  });
});
