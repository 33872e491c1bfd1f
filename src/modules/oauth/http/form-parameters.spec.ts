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

  it('without a value count as left out (RFC 6749 §3.1)', () => {
    for (const form of ['', 'a', 'a=', 'a=&a=', '&&', 'b=1']) expect(text(form)).toBeNull();
    expect(text('a=&a=1')).toBe('1');
  });

  it('that are there twice are none, and named', () => {
    const parameters = parseFormParameters('a=1&b=2&a=1');
    expect(getParameterText(parameters, 'a')).toBeNull();
    expect(findRepeatedParameter(parameters, ['b', 'a'])).toBe('a');
    expect(findRepeatedParameter(parameters, ['b', 'c'])).toBeNull();
  });

  it('are kept twice at most, however often they are there', () => {
    const parameters = parseFormParameters('=1&a=1&'.repeat(9_000));
    expect([...parameters].map(([name, values]) => [name, values.length])).toEqual([
      ['', 2],
      ['a', 2],
    ]);
  });

  it('that are required are, and the error says which', () => {
    expect(requireParameter(parseFormParameters('code=1'), 'code')).toBe('1');
    const missing = () => requireParameter(parseFormParameters('code='), 'code');
    expect(missing).toThrow(InvalidRequestError);
    expect(missing).toThrow('code is required.');
  });

  it('are no names of Object.prototype', () => {
    expect(text('a=1', '__proto__')).toBeNull();
    expect(text('__proto__=1', '__proto__')).toBe('1');
  });

  it('keep every byte, and are written again so that any reader gets the same', () => {
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
