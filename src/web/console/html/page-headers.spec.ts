import type { Response } from 'express';
import { setPageHeaders } from './page-headers';

describe('the headers of a page', () => {
  const set = jest.fn();
  const policyFor = (source: string) => {
    setPageHeaders({ set } as unknown as Response, [source]);
    return set.mock.lastCall![0]['Content-Security-Policy'];
  };

  it.each(['https://app.example', 'http://[::1]:*', 'https:'])('let forms lead to %s', (source) => {
    expect(policyFor(source)).toContain(`; form-action 'self' ${source}; `);
  });

  it.each(['https://a;script-src', 'https://a,b', 'https://a b', "'unsafe-inline'", 'a\nb'])(
    'hold no source that is more than one: %j',
    (source) => expect(() => policyFor(source)).toThrow('Not a valid source of form-action'),
  );
});
