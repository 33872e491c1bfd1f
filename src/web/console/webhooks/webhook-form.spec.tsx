import { renderToString } from 'preact-render-to-string';
import type { WebhookConfig } from '../../../core/config';
import { createFormState } from '../forms/form-state';
import { WebhookForm } from './new-webhook-page';

it.each([
  [{}, 'It must use https and be reachable from the internet.'],
  [{ allowHttp: true }, 'It may use http or https and be reachable from the internet.'],
  [{ allowCidrs: ['10.0.0.0/8'] }, 'It must use https, and be reachable from the internet or from networks of the'],
  [{ allowLoopback: true }, 'On this computer, http works. Other URLs must use https'],
])('the form of a webhook tells which URLs a service with %j accepts', (rules, text) => {
  const urlRules = { allowHttp: false, allowCidrs: [], allowLoopback: false, ...rules } as unknown as WebhookConfig;
  const html = renderToString(
    <WebhookForm
      form={createFormState()}
      urlRules={urlRules}
      heading="New webhook"
      parentLink={{ path: '/console/webhooks', text: 'Webhooks' }}
      action="/console/webhooks"
      submitLabel="Create webhook"
    />,
  );
  expect(html).toContain(`Receives events by POST. ${text}`);
});
