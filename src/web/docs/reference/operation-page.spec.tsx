import { renderToString } from 'preact-render-to-string';
import { OperationPage } from './operation-page';
import type { ReferenceOperation } from './reference-model';

const OPERATION: ReferenceOperation = {
  id: 'changeThing',
  method: 'POST',
  path: '/external/v1/things/{id}',
  summary: 'Change a thing',
  description: 'Changes it.',
  isDeprecated: false,
  credential: 'token',
  acceptsLogin: false,
  sending: 'offered',
  scopes: ['things:read', 'things:write'],
  deviceKinds: [],
  rateLimitBucket: 'metadata',
  parameters: [],
  body: null,
  responses: [],
  errors: [],
};
const render = (change: Partial<ReferenceOperation> = {}) =>
  renderToString(<OperationPage operation={{ ...OPERATION, ...change }} publicUrl="https://host.example" />);

describe('the page of an operation', () => {
  it('says that it is deprecated, and where the reader finds more', () => {
    expect(render({ isDeprecated: true })).toContain(
      '<strong>Deprecated.</strong> See <a href="/docs/deprecations">Deprecations</a>.',
    );
    expect(render()).not.toContain('Deprecated');
  });

  it('names what a call requires', () => {
    const [, requirements = ''] = /<dl class="requirements">(.*?)<\/dl>/.exec(render())!;
    const facts = [...requirements.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [
      name,
      value!.replaceAll(/<[^>]+>/g, ''),
    ]);
    expect(facts).toEqual([
      ['Credential', 'Personal access token or OAuth access token'],
      ['Scopes', 'things:read, things:write'],
      ['Rate limit', 'Bucket metadata'],
    ]);
  });

  it.each([
    ['offered', true, false],
    ['device-only', false, true],
    ['none', false, false],
  ] as const)('that is %s offers to send it: %s', (sending, isOffered, isExplained) => {
    const html = render({ sending, credential: 'device' });
    expect([html.includes('data-opens="try-it"'), html.includes('<dialog id="try-it"')]).toEqual([
      isOffered,
      isOffered,
    ]);
    expect(html.includes('only a device has the token that it requires')).toBe(isExplained);
  });
});
