import { renderToString } from 'preact-render-to-string';
import type { SubscribedEvent, WebhookDto } from '../../../modules/webhooks';
import { WebhookList } from './webhook-list';

const EVENTS: SubscribedEvent[] = ['session.created', 'session.ended', 'turn.ended', 'permission.requested'];

it.each([
  ['all events', ['*'], 'All events'],
  ['the types of up to three events', EVENTS.slice(0, 3), 'session.created session.ended turn.ended'],
  ['the number of those beyond three', EVENTS, 'session.created session.ended turn.ended and 1 more'],
] as [string, SubscribedEvent[], string][])('the list of webhooks shows %s', (_, events, text) => {
  const webhook = {
    id: 'whk_1',
    url: 'https://example.com',
    description: null,
    events,
    state: 'active',
    failingSince: null,
    lastDeliveryAt: null,
    createdBy: { tokenId: null, appId: null },
  } as WebhookDto;
  const html = renderToString(
    <WebhookList
      webhooks={{ data: [webhook], nextCursor: null }}
      ownerNames={new Map()}
      cursor={undefined}
      publicUrl=""
      attemptTimeoutSeconds={15}
    />,
  );
  const [, cell = ''] = /<td data-name="Events">(.*?)<\/td>/.exec(html)!;
  expect(
    cell
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ).toBe(text);
});
