import { Badge, type Tone } from '@external-api/pages';
import type { DeliveryDto, WebhookDto } from '../../../modules/webhooks';
import { Time } from '../components/time';
import { DueTime, type EndpointState } from './deliveries/delivery-parts';
import type { OwnerNames } from './owner-name-reader';

const TONES: Record<WebhookDto['state'], Tone> = { active: 'good', paused: 'waiting', disabled: 'bad' };

export function WebhookStateBadge({ webhook: { state, failingSince } }: { webhook: WebhookDto }) {
  if (state === 'active' && failingSince !== null) return <Badge tone="bad">failing</Badge>;
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

/** Explains what the state means for deliveries and why the webhook is in it. */
export function WebhookStateDescription(endpointState: EndpointState) {
  const { webhook } = endpointState;
  const { state, failingSince } = webhook;
  if (state === 'paused') return <>Deliveries wait until you resume the webhook, for at most 30 days.</>;
  if (state === 'disabled') return <DisabledDescription webhook={webhook} />;
  if (failingSince === null) return <>Events are being delivered.</>;
  return (
    <>
      Every attempt has failed since <Time at={failingSince} />. <QueueDescription {...endpointState} /> After five days
      of failures the webhook is disabled.
    </>
  );
}

/** When a failing endpoint gets its next attempt. */
function QueueDescription({ probeAt, dueAt, now }: EndpointState) {
  if (dueAt === null) return <>No delivery is waiting.</>;
  if (probeAt === null) {
    return (
      <>
        The next attempt is due <DueTime at={dueAt} now={now} />.
      </>
    );
  }
  return (
    <>
      Its queue is held: it gets one attempt per minute until one succeeds, the next{' '}
      <DueTime at={Math.max(probeAt, dueAt)} now={now} />.
    </>
  );
}

function DisabledDescription({ webhook: { disabledReason, failingSince } }: { webhook: WebhookDto }) {
  return (
    <>
      {disabledReason === 'gone' && 'The receiver responded with 410 Gone, so deliveries have stopped. '}
      {disabledReason === 'too_many_pending' &&
        'More than 10,000 deliveries were pending, because events occur faster than the receiver accepts them. '}
      {disabledReason !== 'gone' && disabledReason !== 'too_many_pending' && (
        <>
          Every attempt failed for five days
          {failingSince !== null && (
            <>
              , since <Time at={failingSince} />
            </>
          )}
          .{' '}
        </>
      )}
      New events are not queued. Pending deliveries are sent when you resume the webhook. Then replay the missed events
      in the delivery log.
    </>
  );
}

/** Time and response status of the last attempt. */
export function LastDelivery({ webhook }: { webhook: WebhookDto }) {
  const { lastDeliveryAt, lastDeliveryStatus } = webhook;
  return (
    <span>
      <Time at={lastDeliveryAt} />
      {lastDeliveryAt !== null && (
        <small>{lastDeliveryStatus === null ? 'no response' : `status ${lastDeliveryStatus}`}</small>
      )}
    </span>
  );
}

/** How many of the newest deliveries succeeded, and what became of the others. */
export function DeliveryCounts({ deliveries }: { deliveries: readonly Pick<DeliveryDto, 'state'>[] }) {
  if (deliveries.length === 0) return <span class="none">none</span>;
  const count = (state: DeliveryDto['state']) => deliveries.filter((delivery) => delivery.state === state).length;
  const others = (['pending', 'failed', 'cancelled'] as const).filter((state) => count(state) > 0);
  return (
    <span>
      {`${count('delivered')} of the last ${deliveries.length} delivered`}
      {others.length > 0 && <small>{others.map((state) => `${count(state)} ${state}`).join(', ')}</small>}
    </span>
  );
}

interface CreatedByProps {
  webhook: WebhookDto;
  ownerNames: OwnerNames;
}

/** Names the creator of a webhook: a token, an app or a user of the console. */
export function CreatedBy({ webhook: { createdBy }, ownerNames: names }: CreatedByProps) {
  const { tokenId, appId } = createdBy;
  if (appId !== null) return <>{`App ${names.get(appId) ?? appId}`}</>;
  if (tokenId === null) return <>You, in the console</>;
  return (
    <>
      {'Token '}
      <a href={`/console/tokens/${tokenId}`}>{names.get(tokenId) ?? tokenId}</a>
    </>
  );
}
