export { buildDeliveryHeaders, type EventHeaders } from './delivery-headers';
export { type LoggedHeaders } from './logged-headers';
export { parseRetryAfterMs } from './retry-after';
export { formatSigningSecret, generateSigningKey } from './signature';
export { MAX_URL_LENGTH, TargetUrlValidator } from './target-url-validator';
export {
  DELIVERY_ERRORS,
  type DeliveryError,
  type WebhookExchange,
  isSent,
  isSuccessfulExchange,
} from './webhook-exchange';
export { type WebhookRequest, WebhookSender } from './webhook-sender';
export { WebhookSendingModule } from './webhook-sending.module';
