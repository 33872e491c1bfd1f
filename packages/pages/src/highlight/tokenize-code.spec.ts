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
    ['rust', 'fn f(x: &str) -> u8 { /* \'a */ x.len() as u8 } // "'],
    ['sql', "SELECT a, 'it''s' FROM t -- x\nwhere b = 1.5"],
    ['yaml', 'a: "b" # c\n- d.e: 1\n  f: it\'s\n'],
    ['css', '@media print { a:hover { color: #fff; /* x */ } }'],
    ['html', '<a href="x" id=\'y\'>b &amp; <!-- c --></a>'],
    ['diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c'],
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
    expect(describeTokens('pub fn f() {}', 'rs')).toEqual(['keyword pub', 'keyword fn', 'function f']);
    expect(describeTokens('SELECT 1 from t', 'sql')).toEqual(['keyword SELECT', 'number 1', 'keyword from']);
    expect(describeTokens('a-b: true', 'yml')).toEqual(['property a-b', 'keyword true']);
    expect(describeTokens('GET /a HTTP/1.1\nHost: b', 'http')).toEqual([
      'keyword GET',
      'keyword HTTP/1.1',
      'property Host',
    ]);
  });

  it('tell added from removed lines, and parts of stylesheets and markup', () => {
    expect(describeTokens('--- a\n@@ -1 +1 @@\n-b\n+c\n d', 'patch')).toEqual([
      'comment --- a',
      'comment @@ -1 +1 @@',
      'keyword -b',
      'string +c',
    ]);
    expect(describeTokens('@media print { color: red } /* b */', 'scss')).toEqual([
      'keyword @media',
      'property color',
      'comment /* b */',
    ]);
    expect(describeTokens('<a href="x">b</a><!-- c -->', 'vue')).toEqual([
      'keyword <a',
      'property href',
      'string "x"',
      'keyword >',
      'keyword </a',
      'keyword >',
      'comment <!-- c -->',
    ]);
  });

  it('are none in code of more than 20,000 characters', () => {
    expect(tokenizeCode('1 '.repeat(10_000), 'js')).toHaveLength(20_000);
    expect(tokenizeCode('/*'.repeat(10_001), 'js')).toHaveLength(1);
  });
});
