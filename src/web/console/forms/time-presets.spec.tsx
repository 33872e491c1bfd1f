import { renderToString } from 'preact-render-to-string';
import { createFormState } from './form-state';
import { TimePresets } from './time-presets';

it('replaces both ends of the time, and keeps the other filters of the log', () => {
  const form = createFormState({ outcome: 'failed', since: '2025-12-24T00:00', until: '2025-12-25T00:00', type: '' });
  const html = renderToString(<TimePresets form={form} path="/console/log" now={Date.UTC(2026, 0, 2)} />);
  const queries = [...html.matchAll(/\/console\/log\?([^"]*)/g)].map(([, query = '']) =>
    query.replaceAll('&amp;', '&'),
  );
  expect(queries.map((query) => [...new URLSearchParams(query)])).toEqual(
    ['2026-01-01T23:00', '2026-01-01T00:00', '2025-12-26T00:00'].map((since) => [
      ['outcome', 'failed'],
      ['since', since],
    ]),
  );
});
