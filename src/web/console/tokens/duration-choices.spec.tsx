import { renderToString } from 'preact-render-to-string';
import type { ExternalTokenDto } from '../../../modules/personal-access-tokens';
import { createFormState } from '../forms/form-state';
import { NewTokenPage } from './new-token-page';
import { TokenPage } from './token-pages';

const token = {
  id: 'tok_1',
  name: 'ci',
  scopes: [],
  machineIds: null,
  state: 'active',
  createdAt: 0,
  lastUsedAt: null,
  expiresAt: null,
} as unknown as ExternalTokenDto;

describe('a choice of a duration submits what it says', () => {
  it.each([
    [
      'after the rotation of a token',
      'overlapSeconds',
      <TokenPage token={token} machineNames={new Map()} callCount={0} lastUsedAddress={null} publicUrl="" />,
      ['at once: 0', 'in an hour: 3600', 'in a day: 86400'],
    ],
    [
      'until a token expires',
      'expiresInDays',
      <NewTokenPage form={createFormState()} machines={[]} recipient={null} />,
      ['In 7 days: 7', 'In 30 days: 30', 'In 90 days: 90', 'In a year: 365', 'Never: '],
    ],
  ])('%s', (_, name, page, choices) => {
    const [, options = ''] = new RegExp(`<select [^>]*name="${name}"[^>]*>(.*?)</select>`).exec(renderToString(page))!;
    const found = [...options.matchAll(/<option value(?:="(\d+)")?[^>]*>([^<]+)/g)];
    expect(found.map(([, value, text]) => `${text}: ${value ?? ''}`)).toEqual(choices);
  });
});
