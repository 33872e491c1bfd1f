import type { DeliveryRecord, WebhookRecord } from '../../../webhooks';
import { Time } from '../../parts/time';

interface NextTryProps {
  delivery: Pick<DeliveryRecord, 'nextAttemptAt'>;
  webhook: Pick<WebhookRecord, 'state'>;
}

/** When a delivery that waits is tried: not before its webhook is resumed. */
export function NextTry({ delivery, webhook }: NextTryProps) {
  if (webhook.state !== 'active') return <>once the webhook is resumed</>;
  return <Time at={delivery.nextAttemptAt} />;
}
