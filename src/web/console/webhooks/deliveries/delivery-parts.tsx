import { Badge, type Tone } from '@external-api/pages';
import type {
  DeliveryDto,
  DeliverySubject,
  WebhookDeliveryState as State,
  WebhookDto,
} from '../../../../modules/webhooks';
import { ConfirmAction } from '../../components/confirm-action';
import { Time } from '../../components/time';

const TONES: Record<State, Tone> = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

interface DeliveryStateBadgeProps {
  delivery: Pick<DeliveryDto, 'state' | 'attempts'>;
  /** Attempts after which a delivery fails. */
  maxAttempts: number;
}

/** State of a delivery. A pending one is either waiting for its first attempt or being retried. */
export function DeliveryStateBadge({ delivery: { state, attempts }, maxAttempts }: DeliveryStateBadgeProps) {
  if (state !== 'pending') return <Badge tone={TONES[state]}>{state}</Badge>;
  if (attempts === 0) return <Badge tone="quiet">waiting</Badge>;
  return <Badge tone="waiting">{`retrying ${attempts}/${maxAttempts}`}</Badge>;
}

/** What decides when the endpoint of a webhook gets its next attempt. */
export interface EndpointState {
  webhook: WebhookDto;
  /** When the open circuit breaker lets the next attempt through, in Unix ms; null while it is closed. */
  probeAt: number | null;
  /** When the next delivery is due, in Unix ms; null while none is pending. */
  dueAt: number | null;
  /** Unix ms. */
  now: number;
}

interface NextAttemptProps extends EndpointState {
  delivery: Pick<DeliveryDto, 'nextAttemptAt'>;
}

/**
 * Time of the next attempt. A paused webhook has to be resumed first. While an endpoint fails, a delivery that is due
 * waits for the attempt that shows whether the endpoint works again.
 */
export function NextAttempt({ delivery: { nextAttemptAt }, webhook, probeAt, now }: Omit<NextAttemptProps, 'dueAt'>) {
  if (webhook.state !== 'active') return <>when the webhook is resumed</>;
  if (probeAt === null || nextAttemptAt === null || nextAttemptAt >= probeAt) {
    return <DueTime at={nextAttemptAt} now={now} />;
  }
  return (
    <>
      held: the endpoint fails, next attempt <DueTime at={probeAt} now={now} />
    </>
  );
}

/** Explains why deliveries wait while the endpoint fails. Renders nothing otherwise. */
export function OpenCircuitNotice({ webhook: { state }, probeAt, now }: Omit<EndpointState, 'dueAt'>) {
  if (state !== 'active' || probeAt === null) return null;
  return (
    <p class="notice">
      The endpoint fails, so it gets one attempt per minute until one succeeds. The next is due{' '}
      <DueTime at={probeAt} now={now} />. The other deliveries are held until then.
    </p>
  );
}

/** What is due has not been sent yet: a time in the past would look like an attempt. */
export function DueTime({ at, now }: { at: number | null; now: number }) {
  return at !== null && at <= now ? <>now</> : <Time at={at} />;
}

/** Link to the session or the machine that an event is about. */
export function SubjectLink({ subject }: { subject: DeliverySubject | null }) {
  if (!subject) return null;
  const { kind, id } = subject;
  return (
    <small>
      <a href={`/console/${kind}s/${id}`} title={id}>
        {`${kind} …${id.slice(-4)}`}
      </a>
    </small>
  );
}

interface ReplayDeliveryProps {
  delivery: DeliveryDto;
  /** Path of the delivery's page. */
  path: string;
  /** The delivery's name for screen readers, if there are several on the page. */
  target?: string;
}

export function ReplayDelivery({ delivery: { state }, path, target }: ReplayDeliveryProps) {
  return (
    <ConfirmAction label="Replay" action={`${path}/replay`} target={target} isHarmless>
      This sends the same event again, with the same <code>webhook-id</code>, as a new delivery.
      {state === 'pending' && ' Attempts of this delivery continue.'}
      {state === 'delivered' && ' A receiver that doesn’t store the IDs processes it twice.'}
    </ConfirmAction>
  );
}
