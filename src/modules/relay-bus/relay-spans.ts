import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import type { RelayRequest } from '@external-api/protocol';
import { failSpan, formatTraceparent, isTracing, runInSpan } from '../../common/tracing';
import type { CallOutcome } from './relay-call';

/**
 * Stages of a call: at its origin in all, its way to another instance and back, at the owner there, and the request to
 * the device. A device of the origin is called without the two in the middle.
 */
type RelayStage = 'origin' | 'bus' | 'owner' | 'device';

const MESSAGING = { 'messaging.system': 'redis' };
const STAGES: Record<RelayStage, { kind: SpanKind; attributes: Attributes }> = {
  origin: { kind: SpanKind.INTERNAL, attributes: {} },
  bus: { kind: SpanKind.PRODUCER, attributes: { ...MESSAGING, 'messaging.operation.type': 'send' } },
  owner: { kind: SpanKind.CONSUMER, attributes: { ...MESSAGING, 'messaging.operation.type': 'process' } },
  device: { kind: SpanKind.CLIENT, attributes: { 'network.protocol.name': 'websocket' } },
};

/**
 * Runs a stage in a span that continues the trace of the request. The next stage, on any instance, gets the request
 * with the `traceparent` of this span. Without tracing, only runs the stage.
 * @param run starts synchronously
 */
export function runRelayStage<Result extends CallOutcome | null>(
  stage: RelayStage,
  request: RelayRequest,
  run: (request: RelayRequest) => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return run(request);
  const { kind, attributes } = STAGES[stage];
  const options = {
    name: `relay.${stage}`,
    kind,
    parent: request.traceparent,
    attributes: { ...attributes, 'relay.method': request.method, 'external_api.request_id': request.requestId },
  };
  return runInSpan(options, async (span) => {
    const outcome = await run(span ? { ...request, traceparent: formatTraceparent(span) } : request);
    if (span) recordOutcome(span, outcome);
    return outcome;
  });
}

function recordOutcome(span: Span, outcome: CallOutcome | null): void {
  // The device has left the instance and nothing was sent: the origin sends the call again.
  span.setAttribute('relay.outcome', outcome?.kind ?? 'moved');
  if (!outcome) return;
  if (outcome.deviceId !== null) span.setAttribute('external_api.device_id', outcome.deviceId);
  if (outcome.kind !== 'answered') failSpan(span, outcome.reason);
  else if (outcome.answer.kind === 'error') failSpan(span, 'device_error');
}
