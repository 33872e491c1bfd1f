import type { WebhookDto } from '../../../modules/webhooks';
import { Badge, type Tone } from '../components/badge';
import { Time } from '../components/time';
import type { OwnerNames } from './owner-name-reader';

const TONES: Record<WebhookDto['state'], Tone> = { active: 'good', paused: 'waiting', disabled: 'bad' };

export function WebhookStateBadge({ webhook: { state, failingSince } }: { webhook: WebhookDto }) {
  if (state === 'active' && failingSince !== null) return <Badge tone="bad">failing</Badge>;
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

/** Explains what the state means for deliveries and why the webhook is in it. */
export function WebhookStateDescription({ webhook }: { webhook: WebhookDto }) {
  const { state, failingSince } = webhook;
  if (state === 'paused') return <>Deliveries wait until you resume the webhook, for at most 30 days.</>;
  if (state === 'disabled') return <DisabledDescription webhook={webhook} />;
  if (failingSince === null) return <>Events are being delivered.</>;
  return (
    <>
      Every attempt has failed since <Time at={failingSince} />. After five days of failures the webhook is disabled.
    </>
  );
}

function DisabledDescription({ webhook: { disabledReason, failingSince } }: { webhook: WebhookDto }) {
  return (
    <>
      {disabledReason === 'gone' ? (
        'The receiver responded with 410 Gone, so deliveries have stopped.  '
      ) : (
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
      New events are not queued. Pending deliveries are sent when you resume the webhook.
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
