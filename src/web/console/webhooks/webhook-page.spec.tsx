import { renderToString } from 'preact-render-to-string';
import type { SubscribedEvent, WebhookDto } from '../../../modules/webhooks';
import { WebhookPage } from './webhook-page';

const STATISTICS = { total: { attempts: 0, succeeded: 0, medianMs: null, slowMs: null }, slots: [] };

/** Returns the values and texts of the choices of a field. */
function readChoices(name: string, events: SubscribedEvent[] = ['*']): [value: string, text: string][] {
  const webhook = {
    id: 'whk_1',
    url: 'https://example.com',
    events,
    format: 'standard',
    headerNames: [],
    state: 'active',
    failingSince: null,
    lastDeliveryAt: null,
    createdBy: { tokenId: null, appId: null },
    createdAt: 0,
  } as unknown as WebhookDto;
  const html = renderToString(
    <WebhookPage
      webhook={webhook}
      ownerNames={new Map()}
      recentDeliveries={[]}
      range="day"
      statistics={STATISTICS}
      from={0}
      problem={null}
      probeAt={null}
      dueAt={null}
      now={0}
    />,
  );
  const [, options = ''] = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`).exec(html)!;
  return [...options.matchAll(/<option value="([^"]*)"[^>]*>([^<]+)/g)].map(([, value, text]) => [value!, text!]);
}

describe('the page of a webhook', () => {
  it('submits the overlap of signing secrets that it says', () => {
    expect(readChoices('overlapSeconds')).toEqual([
      ['86400', 'in a day'],
      ['3600', 'in an hour'],
      ['0', 'at once'],
    ]);
  });

  it('sends test events of the types that the webhook subscribes to, and of all if it gets all', () => {
    const types = readChoices('type', ['session.ended', 'session.created']).map(([value]) => value);
    expect(types).toEqual(['webhook.test', 'session.created', 'session.ended']);
    expect(readChoices('type').length).toBeGreaterThan(10);
  });
});
