import { isWellFormedId, type IdPrefix } from '../../../common/ids';
import { EVENTS, type EventType } from '../../../core/events';
import type { WebhookFormat } from '../subscriptions/webhook.response.dto';

/** What the requests of a delivery have in the format of its webhook. */
export interface FormattedDelivery {
  body: string;
  /** Headers in addition to those of every format, or in their place. */
  headers: Record<string, string>;
}

/** Pages of the console, by the prefix of the id of what they show. */
const PAGE_FOLDERS: readonly (readonly [IdPrefix, string])[] = [
  ['art', 'artifacts'],
  ['tok', 'tokens'],
  ['whk', 'webhooks'],
  ['ses', 'sessions'],
  ['mch', 'machines'],
  ['req', 'activity'],
];

/**
 * Formats an event for its receiver (docs/protocol/webhooks.md#formats). Formats for people have the label of the event
 * and a link to the console, without any text of the event, which somebody else may have written.
 */
export function formatDelivery(
  format: WebhookFormat,
  { type, payload }: { type: EventType; payload: string },
  publicUrl: string,
): FormattedDelivery {
  if (format === 'standard') return { body: payload, headers: {} };
  const { label } = EVENTS[type];
  const link = `${publicUrl}/console${getPagePath(type, payload)}`;
  if (format === 'slack')
    return { body: JSON.stringify({ text: `${label}. <${link}|Open the console>` }), headers: {} };
  return {
    body: label,
    headers: { 'content-type': 'text/plain; charset=utf-8', title: 'External API', click: link },
  };
}

/** Returns the path of the page that shows the record, or its session or machine; of Home if no page does. */
function getPagePath(type: EventType, payload: string): string {
  if (type.startsWith('permission.') || type === 'turn.requires_action') return '/approvals';
  const { data } = JSON.parse(payload) as { data: Partial<Record<string, unknown>> };
  // A relayed call has its request's id.
  const ids = [data.id ?? data.requestId, data.sessionId, data.machineId].filter((id) => typeof id === 'string');
  for (const id of ids) {
    const folder = PAGE_FOLDERS.find(([prefix]) => isWellFormedId(prefix, id))?.[1];
    if (folder) return type.endsWith('.deleted') ? `/${folder}` : `/${folder}/${id}`;
  }
  return '';
}
