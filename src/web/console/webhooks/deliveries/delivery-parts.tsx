import type { DeliveryDto, WebhookDeliveryState as State, WebhookDto } from '../../../../modules/webhooks';
import { Badge, type Tone } from '../../components/badge';
import { ConfirmAction } from '../../components/confirm-action';
import { Time } from '../../components/time';

const TONES: Record<State, Tone> = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

export const DELIVERY_STATES = Object.keys(TONES) as State[];

export function DeliveryStateBadge({ state }: Pick<DeliveryDto, 'state'>) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

interface NextAttemptProps {
  delivery: Pick<DeliveryDto, 'nextAttemptAt'>;
  webhook: Pick<WebhookDto, 'state'>;
}

/** Time of the next attempt; a paused webhook has to be resumed first. */
export function NextAttempt({ delivery, webhook }: NextAttemptProps) {
  if (webhook.state !== 'active') return <>when the webhook is resumed</>;
  return <Time at={delivery.nextAttemptAt} />;
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
