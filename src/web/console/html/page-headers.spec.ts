import type { Response } from 'express';
import { setPageHeaders } from './page-headers';

describe('the headers of a page', () => {
  const set = jest.fn();
  const policyFor = (source: string) => {
    setPageHeaders({ set } as unknown as Response, { formAction: [source] });
    return set.mock.lastCall![0]['Content-Security-Policy'];
  };

  it.each(['https://app.example', 'http://[::1]:*', 'https:'])('let forms lead to %s', (source) => {
    expect(policyFor(source)).toContain(`; form-action 'self' ${source}; `);
  });

  it.each(['https://a;script-src', 'https://a,b', 'https://a b', "'unsafe-inline'", 'a\nb'])(
    'hold no source that is more than one: %j',
    (source) => expect(() => policyFor(source)).toThrow('Not a valid source of form-action'),
  );

  it('allow frames only on a page with previews, and only of blobs', () => {
    setPageHeaders({ set } as unknown as Response);
    const everywhere = set.mock.lastCall![0]['Content-Security-Policy'] as string;
    expect(everywhere).not.toContain('frame-src');
    setPageHeaders({ set } as unknown as Response, { hasPreviews: true });
    const withPreviews = set.mock.lastCall![0]['Content-Security-Policy'] as string;
    expect(withPreviews.replace('frame-src blob:; ', '')).toBe(everywhere);
  });
});
