import { InvalidRequestError } from './oauth-error';
import {
  getParameterBytes,
  percentEncodeBytes,
  parseFormParameters,
  findRepeatedParameter,
  requireParameter,
  getParameterText,
} from './form-parameters';

describe('form parameters', () => {
  const text = (form: string, name = 'a') => getParameterText(parseFormParameters(form), name);

  it.each([
    ['a=1&b=2', '1'],
    ['a=x+y', 'x y'],
    ['a=x%2By', 'x+y'],
    ['a=1=2', '1=2'],
    ['%61=1', '1'],
    ['a=%zz%4', '%zz%4'],
    ['a=%F0%9F%92%BB', '💻'],
  ])('are decoded as the URL standard has it: %s', (form, value) => {
    expect(text(form)).toBe(value);
    expect(new URLSearchParams(form).get('a')).toBe(value);
  });

  it('without a value are treated as omitted (RFC 6749 §3.1)', () => {
    for (const form of ['', 'a', 'a=', 'a=&a=', '&&', 'b=1']) expect(text(form)).toBeNull();
    expect(text('a=&a=1')).toBe('1');
  });

  it('that occur twice have no value, and are reported by name', () => {
    const parameters = parseFormParameters('a=1&b=2&a=1');
    expect(getParameterText(parameters, 'a')).toBeNull();
    expect(findRepeatedParameter(parameters, ['b', 'a'])).toBe('a');
    expect(findRepeatedParameter(parameters, ['b', 'c'])).toBeNull();
  });

  it('are stored at most twice, however often they occur', () => {
    const parameters = parseFormParameters('=1&a=1&'.repeat(9_000));
    expect([...parameters].map(([name, values]) => [name, values.length])).toEqual([
      ['', 2],
      ['a', 2],
    ]);
  });

  it('that are required but missing are named in the error', () => {
    expect(requireParameter(parseFormParameters('code=1'), 'code')).toBe('1');
    const missing = () => requireParameter(parseFormParameters('code='), 'code');
    expect(missing).toThrow(InvalidRequestError);
    expect(missing).toThrow('code is required.');
  });

  it('do not include names that every object inherits', () => {
    expect(text('a=1', '__proto__')).toBeNull();
    expect(text('__proto__=1', '__proto__')).toBe('1');
  });

  it('are encoded so that every reader decodes the same bytes', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const encoded = Array.from(all, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const read = getParameterBytes(parseFormParameters(`state=${encoded}`), 'state')!;
    expect(read.equals(all)).toBe(true);
    expect(getParameterBytes(parseFormParameters(`state=${percentEncodeBytes(read)}`), 'state')!.equals(all)).toBe(
      true,
    );
    expect(percentEncodeBytes(Buffer.from('a b+c/~é'))).toBe('a%20b%2Bc%2F~%C3%A9');
  });
});
