import { renderToString } from 'preact-render-to-string';
import type { AuditEventDto } from '../../../modules/audit-events';
import { createFormState } from '../forms/form-state';
import { SecurityLogPage } from './security-log-page';

const TARGET: AuditEventDto['target'] = { kind: 'token', id: 'tok_1', name: 'ci', machineIds: null };

it.each([
  ['links to a token', TARGET, '<a href="/console/tokens/tok_1">ci</a>'],
  ['links to a webhook', { ...TARGET, kind: 'webhook', id: 'whk_1' }, '<a href="/console/webhooks/whk_1">ci</a>'],
  ['names a device', { ...TARGET, kind: 'device', id: 'dev_1' }, '<bdi>ci</bdi>'],
] as [string, AuditEventDto['target'], string][])('the security log %s', (_, target, shown) => {
  const event = {
    id: 'aud_1',
    act: 'token.revoked',
    reason: null,
    address: null,
    userAgent: null,
    createdAt: 0,
    target,
    actor: { kind: 'browser', id: 'dev_2', name: 'laptop' },
  } as AuditEventDto;
  const html = renderToString(
    <SecurityLogPage
      events={{ data: [event], nextCursor: null }}
      cursor={undefined}
      filters={createFormState()}
      now={0}
    />,
  );
  expect(html).toContain(`<small>${shown}</small>`);
});
