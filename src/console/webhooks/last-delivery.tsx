import type { WebhookRecord } from '../../webhooks';
import { Time } from '../parts/time';

/** When the last try ended, and how it was answered. */
export function LastDelivery({ webhook }: { webhook: WebhookRecord }) {
  const { lastDeliveryAt, lastDeliveryStatus } = webhook;
  return (
    <span>
      <Time at={lastDeliveryAt} />
      {lastDeliveryAt !== null && (
        <small>{lastDeliveryStatus === null ? 'no answer' : `answered ${lastDeliveryStatus}`}</small>
      )}
    </span>
  );
}
