import { renderToString } from 'preact-render-to-string';
import type { AuditEventDto } from '../../../modules/audit-events';
import { createFormState } from '../forms/form-state';
import { SecurityLogPage } from './security-log-page';

const TARGET: AuditEventDto['target'] = { kind: 'token', id: 'tok_1', name: 'ci', machineIds: null };

const renderEvent = (target: AuditEventDto['target']) => {
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
  return renderToString(
    <SecurityLogPage
      events={{ data: [event], nextCursor: null }}
      cursor={undefined}
      filters={createFormState()}
      now={0}
    />,
  );
};

it.each([
  ['links to a token', TARGET, '<a href="/console/tokens/tok_1">ci</a>'],
  ['links to a webhook', { ...TARGET, kind: 'webhook', id: 'whk_1' }, '<a href="/console/webhooks/whk_1">ci</a>'],
  ['names a device', { ...TARGET, kind: 'device', id: 'dev_1' }, '<bdi>ci</bdi>'],
] as [string, AuditEventDto['target'], string][])('the security log %s', (_, target, shown) => {
  expect(renderEvent(target)).toContain(`<small>${shown}</small>`);
});

it('the security log shows the ID of a record that was deleted, without a link', () => {
  const html = renderEvent({ ...TARGET, kind: 'webhook', id: 'whk_1', name: null });
  expect(html).toContain('<span class="id" title="whk_1">');
  expect(html).not.toContain('href="/console/webhooks/whk_1"');
});
