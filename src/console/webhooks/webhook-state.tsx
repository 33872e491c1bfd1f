import type { WebhookRecord } from '../../webhooks';
import { Badge, type Tone } from '../parts/badge';
import { Time } from '../parts/time';

const TONES: Record<WebhookRecord['state'], Tone> = { active: 'good', paused: 'waiting', disabled: 'bad' };

export function WebhookState({ webhook: { state, failingSince } }: { webhook: WebhookRecord }) {
  if (state === 'active' && failingSince !== null) return <Badge tone="bad">failing</Badge>;
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

/** What its state means for what is to be delivered, and how it came to it. */
export function StateInWords({ webhook }: { webhook: WebhookRecord }) {
  const { state, failingSince } = webhook;
  if (state === 'paused') return <>Deliveries wait, for thirty days at most, until you resume it.</>;
  if (state === 'disabled') return <Disabled webhook={webhook} />;
  if (failingSince === null) return <>Deliveries go out.</>;
  return (
    <>
      Every try has failed since <Time at={failingSince} />. After five days of that it is disabled.
    </>
  );
}

function Disabled({ webhook: { disabledReason, failingSince } }: { webhook: WebhookRecord }) {
  return (
    <>
      {disabledReason === 'gone' ? (
        'The receiver answered with 410, which says that it wants no more. '
      ) : (
        <>
          For five days every try failed
          {failingSince !== null && (
            <>
              , since <Time at={failingSince} />
            </>
          )}
          .{' '}
        </>
      )}
      What happens now is not kept for it. What was waiting goes out when you resume it.
    </>
  );
}
