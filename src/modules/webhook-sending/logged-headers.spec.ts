import { selectLoggedHeaders } from './logged-headers';

describe('selectLoggedHeaders', () => {
  it('keeps headers with their values, and joins those of a repeated header', () => {
    expect(selectLoggedHeaders({ 'content-type': 'text/plain', via: ['1.1 a', '1.1 b'] } as never)).toEqual({
      'content-type': 'text/plain',
      via: '1.1 a, 1.1 b',
    });
  });

  it.each([
    'set-cookie',
    'authorization',
    'proxy-authenticate',
    'www-authenticate',
    'x-api-key',
    'x-csrf-token',
    'x-amz-security-token',
    'x-session-id',
    'client-secret',
    'webhook-signature',
  ])('leaves out %s, whose value may be a secret', (name) => {
    expect(selectLoggedHeaders({ [name]: 'hunter2', date: 'today' })).toEqual({ date: 'today' });
  });

  it('keeps at most 40 headers and 4 KiB', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, 'v']));
    expect(Object.keys(selectLoggedHeaders(many))).toHaveLength(40);
    const large = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'v'.repeat(450)]));
    expect(JSON.stringify(selectLoggedHeaders(large)).length).toBeLessThan(4_300);
    expect(Object.keys(selectLoggedHeaders(large)).length).toBeGreaterThan(5);
  });

  it('truncates long values, and replaces what the database cannot store', () => {
    expect(selectLoggedHeaders({ a: 'v'.repeat(501), b: 'x\0y' })).toEqual({ a: `${'v'.repeat(500)}…`, b: 'x\ufffdy' });
    expect(selectLoggedHeaders({ a: `${'v'.repeat(499)}😀` })).toEqual({ a: `${'v'.repeat(499)}…` });
  });
});
