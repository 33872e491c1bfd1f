import { findHeadersViolation, normalizeHeaders } from './custom-headers';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']));

describe('the headers of a webhook', () => {
  it.each([
    {},
    { Authorization: 'Bearer tk_1' },
    { 'X-Api-Key': 'a b\tc', Priority: '5' },
    { "!#$%&'*+.^_`|~09-az": '~' },
    { [`x${'-'.repeat(99)}`]: 'v'.repeat(2_000) },
    many(10),
  ])('may be %j', (headers) => {
    expect(findHeadersViolation(headers)).toBeNull();
  });

  it.each([
    ['text', 'must be an object'],
    [['a'], 'must be an object'],
    [many(11), 'at most 10 headers'],
    [{ 'X-A': '1', 'x-a': '2' }, 'twice'],
    [{ '': '1' }, 'not a token'],
    [{ 'X A': '1' }, 'not a token'],
    [{ 'X:A': '1' }, 'not a token'],
    [{ 'X\r\nEvil': '1' }, 'not a token'],
    [{ Ä: '1' }, 'not a token'],
    [{ ['x'.repeat(101)]: '1' }, 'not a token'],
    [{ 'X-A': '' }, '1 to 2000 printable ASCII characters'],
    [{ 'X-A': 'a\r\nHost: evil' }, 'for X-A'],
    [{ 'X-A': 'a\n' }, 'for X-A'],
    [{ 'X-A': 'a\0' }, 'for X-A'],
    [{ 'X-A': 'bücher' }, 'for X-A'],
    [{ 'X-A': ' a' }, 'without spaces around'],
    [{ 'X-A': 'a\t' }, 'without spaces around'],
    [{ 'X-A': 'v'.repeat(2_001) }, 'for X-A'],
    [{ 'X-A': 7 }, 'for X-A'],
    [{ 'X-A': ['a'] }, 'for X-A'],
  ])('must not be %j', (headers, violation) => {
    expect(findHeadersViolation(headers)).toContain(violation);
  });

  it.each([
    'Host',
    'CONTENT-TYPE',
    'Content-Length',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'User-Agent',
    'Webhook-Signature',
    'webhook-id',
    'Signature',
    'Signature-Input',
    'traceparent',
    'tracestate',
  ])('must not have %s', (name) => {
    expect(findHeadersViolation({ [name]: 'a' })).toContain(`the header ${name}`);
  });

  it('never show a value in what is wrong with them', () => {
    expect(findHeadersViolation({ 'X-A': 'secret\n' })).not.toContain('secret');
    expect(findHeadersViolation({ Host: 'secret' })).not.toContain('secret');
  });

  it('are sent by lower-case name, in the order of the names', () => {
    const headers = normalizeHeaders({ 'X-B': '1', Authorization: 'Two', 'X-A': '3' });
    expect(Object.entries(headers)).toEqual([
      ['authorization', 'Two'],
      ['x-a', '3'],
      ['x-b', '1'],
    ]);
  });
});
