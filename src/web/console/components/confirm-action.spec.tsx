import { renderToString } from 'preact-render-to-string';
import { ConfirmAction } from './confirm-action';

it.each([
  ['its object too, for screen readers', 'laptop', '<summary aria-label="Revoke laptop">Revoke …</summary>'],
  ['its action alone if the page has one object', undefined, '<summary>Revoke …</summary>'],
])('an action that asks first is named by %s', (_, target, summary) => {
  const html = renderToString(
    <ConfirmAction label="Revoke" action="/console/devices/dev_1/revoke" target={target}>
      It can’t be undone.
    </ConfirmAction>,
  );
  expect(html).toContain(summary);
  expect(html).toContain('<button class="danger">Revoke</button>');
});
