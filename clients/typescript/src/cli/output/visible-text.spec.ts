import { hideCredentials, toJsonLine } from './visible-text.ts';

describe('a text that the user may have typed', () => {
  it.each(['pat', 'oat', 'ort', 'ocs', 'dev'])('has no secret of the kind svc_%s', (kind) => {
    const text = `"svc_${kind}_0123456789abcdefABCDEF" is not a command. See: svc_${kind}_…`;
    expect(hideCredentials(text)).toBe(`"svc_${kind}_…" is not a command. See: svc_${kind}_…`);
  });
});

describe('a line of JSON', () => {
  it('has no characters that a terminal obeys', () => {
    const value = { name: 'a\u001b[1A\u009b1A\u007f\u0085\u2028\u202eb' };
    const line = toJsonLine(value);
    expect(line).toBe('{"name":"a\\u001b[1A\\u009b1A\\u007f\\u0085\\u2028\\u202eb"}');
    expect(JSON.parse(line)).toEqual(value);
  });
});
