import { renderToString } from 'preact-render-to-string';
import { createFormState } from '../forms/form-state';
import { ActivityFilters } from './activity-filters';

const NAMES = { callers: new Map([['tok_1', 'Token ci']]), devices: new Map([['dev_1', 'build box']]) };

it.each([
  ['that exists', 'tok_1', 'Token ci'],
  ['that was deleted', 'tok_2', 'tok_2'],
])('the filter keeps a caller %s', (_, callerId, text) => {
  const html = renderToString(<ActivityFilters form={createFormState({ callerId })} names={NAMES} now={0} />);
  expect(html).toContain(`<option value="${callerId}" selected>${text}</option>`);
});
