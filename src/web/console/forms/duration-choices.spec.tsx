import { renderToString } from 'preact-render-to-string';
import type { ExternalTokenDto } from '../../../modules/personal-access-tokens';
import type { WebhookDto } from '../../../modules/webhooks';
import { NewTokenPage } from '../tokens/new-token-page';
import { TokenPage } from '../tokens/token-pages';
import { WebhookPage } from '../webhooks/webhook-page';
import { createFormState } from './form-state';

const listChoices = (html: string, name: string): string[] => {
  const [, options = ''] = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`).exec(html) ?? [];
  return [...options.matchAll(/<option value(?:="(\d+)")?[^>]*>([^<]+)/g)].map(
    ([, value, text]) => `${text}: ${value ?? ''}`,
  );
};

const token = {
  ...{ id: 'tok_1', name: 'ci', scopes: [], machineIds: null, state: 'active' },
  ...{ createdAt: 0, lastUsedAt: null, expiresAt: null },
} as unknown as ExternalTokenDto;
const webhook = {
  ...{ id: 'whk_1', url: 'https://example.com', events: ['*'], format: 'standard', headerNames: [], state: 'active' },
  ...{ failingSince: null, lastDeliveryAt: null, createdBy: { tokenId: null, appId: null }, createdAt: 0 },
} as unknown as WebhookDto;
const statistics = { total: { attempts: 0, succeeded: 0, medianMs: null, slowMs: null }, slots: [] };

describe('a choice of a duration submits what it says', () => {
  it.each([
    [
      'after the rotation of a token',
      'overlapSeconds',
      <TokenPage {...{ token, machineNames: new Map(), callCount: 0, lastUsedAddress: null, publicUrl: '' }} />,
      ['at once: 0', 'in an hour: 3600', 'in a day: 86400'],
    ],
    [
      'after the rotation of a signing secret',
      'overlapSeconds',
      <WebhookPage
        {...{ webhook, statistics, ownerNames: new Map(), recentDeliveries: [], range: 'day', from: 0, problem: null }}
        {...{ probeAt: null, dueAt: null, now: 0 }}
      />,
      ['in a day: 86400', 'in an hour: 3600', 'at once: 0'],
    ],
    [
      'until a token expires',
      'expiresInDays',
      <NewTokenPage form={createFormState()} machines={[]} recipient={null} />,
      ['In 7 days: 7', 'In 30 days: 30', 'In 90 days: 90', 'In a year: 365', 'Never: '],
    ],
  ])('%s', (_, name, page, choices) => {
    expect(listChoices(renderToString(page), name)).toEqual(choices);
  });
});
