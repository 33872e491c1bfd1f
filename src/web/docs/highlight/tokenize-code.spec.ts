import { tokenizeCode } from './tokenize-code';

const describeTokens = (code: string, language: string) =>
  tokenizeCode(code, language).flatMap(({ text, kind }) => (kind ? [`${kind} ${text}`] : []));

describe('the colors of code', () => {
  it.each([
    ['sh', 'TOKEN=abc\ncurl -H "Authorization: $TOKEN" https://a.test/#x | jq . # done'],
    ['json', '{"a": [1, -2.5e3, null], "b": "c: \\"d\\""}'],
    ['js', "const a = `x${1}`; // '\nawait f('//', 12);"],
    ['python', 'print(f"a {b}", None)  # c\n"""doc\nstring"""'],
    ['go', 'func main() { s := `a\nb` /* c */ }'],
    ['http', 'POST /hooks HTTP/1.1\nContent-Type: application/json\n\n{"a": 1}'],
    ['klingon', 'if (x) "y"'],
    ['constructor', 'x'],
  ])('never change the text: %s', (language, code) => {
    expect(
      tokenizeCode(code, language)
        .map(({ text }) => text)
        .join(''),
    ).toBe(code);
  });

  it('tell names of members from strings in JSON', () => {
    expect(describeTokens('{"a": "b", "c": [true, 1.5]}', 'json')).toEqual([
      'property "a"',
      'string "b"',
      'property "c"',
      'keyword true',
      'number 1.5',
    ]);
  });

  it('find commands, options, variables and comments in shell commands', () => {
    expect(describeTokens('ID=$(curl -s "a#b" https://a.test/#c) # d', 'sh')).toEqual([
      'variable ID',
      'function curl',
      'option -s',
      'string "a#b"',
      'comment # d',
    ]);
  });

  it('see no comment in a string, and no string in a comment', () => {
    expect(describeTokens("f('// a') // 'b'", 'js')).toEqual(['function f', "string '// a'", "comment // 'b'"]);
    expect(describeTokens("g('# a') # 'b'", 'python')).toEqual(['function g', "string '# a'", "comment # 'b'"]);
  });

  it('find the keywords of each language', () => {
    expect(describeTokens('return None', 'py')).toEqual(['keyword return', 'keyword None']);
    expect(describeTokens('go f()', 'go')).toEqual(['keyword go', 'function f']);
    expect(describeTokens('GET /a HTTP/1.1\nHost: b', 'http')).toEqual([
      'keyword GET',
      'keyword HTTP/1.1',
      'property Host',
    ]);
  });
});
