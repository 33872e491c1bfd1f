import { renderToString } from 'preact-render-to-string';
import { Id } from './id';

it.each([
  [undefined, 'Copy ID'],
  ['request', 'Copy request ID'],
])('shows an ID of %s in two parts, and copies all of it', (subject, label) => {
  const html = renderToString(<Id value="req_0123456789" subject={subject} />);
  expect(html).toContain('<code><span class="id-start">req_012345</span>6789</code>');
  expect(html).toContain(`data-copy="req_0123456789" title="${label}" hidden`);
  expect(html).toContain(`<span class="unseen">${label}</span>`);
});
