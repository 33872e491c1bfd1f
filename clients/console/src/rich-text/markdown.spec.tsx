import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { lexMarkdown, MAX_DELIMITERS, MAX_DEPTH, MAX_LINKS, MAX_MARKDOWN_LENGTH } from '../markdown-lexer';
import { ArtifactAddress, Markdown, MarkdownLexer } from './markdown';

const withLexer = (shown: VNode) => <MarkdownLexer.Provider value={lexMarkdown}>{shown}</MarkdownLexer.Provider>;
const show = (text: string) => render(withLexer(<Markdown text={text} />)).replace(/ dir="(auto|ltr)"/g, '');
const countTags = (html: string) => html.match(/<[a-z]/g)?.length ?? 0;

describe('Markdown of an agent', () => {
  it('becomes headings, lists, quotes, emphasis and tables', () => {
    const html = show(
      '## Plan\n\n1. **a** _b_ ~~c~~\n2. - [x] `d`\n\n> e\nf' +
        '\n\n---\n\n| g | h |\n| - | -: |\n| 1 | 2 |\n\n3. i\n\n   j\n',
    );
    expect(html).toContain('<p class="heading level-2">Plan</p>');
    expect(html).toContain('<ol start="1"><li><strong>a</strong> <em>b</em> <del>c</del></li>');
    expect(html).toContain('<ul><li>☑ <code>d</code></li></ul>');
    expect(html).toContain('<blockquote><p>e<br/>f</p></blockquote><hr/>');
    expect(html).toContain('<th scope="col" class="right">h</th>');
    expect(html).toContain('<td>1</td><td class="right">2</td>');
    expect(html).toContain('<ol start="3"><li><p>i</p><p>j</p></li></ol>');
  });

  it('has code with colors, a button that copies it, and its language', () => {
    const html = show('```ts\nconst a = "<b>";\n```');
    expect(html).toContain('<figcaption><span>ts</span><button type="button" class="copy" data-copy="const a = ');
    expect(html).toContain('t-keyword">const</span> a = <span class="t-string">&quot;&lt;b>&quot;</span>;</code>');
  });

  it('has no HTML: tags are text', () => {
    const html = show(
      '<script>alert(1)</script>\n\na <b onclick="x">c</b> <!-- d -->\n\n<table><tr><td>e</td></tr></table>',
    );
    expect(html).toContain('&lt;script>alert(1)&lt;/script>');
    expect(html).toContain('a &lt;b onclick=&quot;x&quot;>c&lt;/b> &lt;!-- d -->');
    expect(html).not.toMatch(/<(script|b|table|td)\b/);
  });

  it('has no pictures, and names where they are', () => {
    const html = show('![a chart](https://images.example/a.png)');
    expect(html).not.toContain('<img');
    expect(html).toContain('>Image: a chart</a><small class="target">images.example</small>');
  });

  it.each([
    ['[the docs](https://docs.example/a?b#c)', 'https://docs.example/a?b#c', 'docs.example'],
    ['[https://bank.example](https://evil.example)', 'https://evil.example/', 'evil.example'],
    ['[bank.example.evil](https://bank.example)', 'https://bank.example/', 'bank.example'],
    ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', 'evil.example'],
    ['[write](mailto:ada@mail.example)', 'mailto:ada@mail.example', 'ada@mail.example'],
  ])('shows the host of the link %s', (text, href, host) => {
    const html = show(text);
    expect(html).toContain(`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">`);
    expect(html).toContain(`<small class="target">${host}</small>`);
  });

  it('shows a host in another script as its ASCII form', () => {
    expect(show('https://p\u0430y.example')).toMatch(/<small class="target">xn--py-\w+\.example<\/small>/);
  });

  it.each(['https://docs.example/a', 'www.docs.example', 'ada@mail.example', '<http://docs.example:8080>'])(
    'does not repeat the host of %s',
    (text) => {
      expect(show(text)).toContain('<a href="');
      expect(show(text)).not.toContain('<small');
    },
  );

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'src/a.ts:12',
    '//a.b',
  ])('has no link to %s, which is shown', (href) => {
    expect(show(`[a](${href})`)).toContain(`a<code class="target">${href}</code>`);
    expect(show(`[a](${href}) <${href}>`)).not.toContain('<a ');
  });

  it('links the artifacts that it names', () => {
    const text = '[chart.png](artifact:ses_1/turn_2/1.png) [gone](artifact:x)';
    const html = render(
      withLexer(
        <ArtifactAddress.Provider value={(tag) => (tag === 'x' ? null : `/artifacts/${tag}`)}>
          <Markdown text={text} />
        </ArtifactAddress.Provider>,
      ),
    );
    expect(html).toContain('<a href="/artifacts/ses_1/turn_2/1.png">chart.png</a> gone');
  });

  it('closes a fence that never ends, and folds its lines', () => {
    const html = show(`Look:\n\`\`\`js\n${'x\n'.repeat(3_000)}`);
    expect(html).toContain('Show all 3,000 lines');
    expect(html.length).toBeLessThan(10_000);
  });

  it('takes a title of one emoji, and marks of direction that were made visible', () => {
    expect(show('# 👩‍👩‍👧')).toContain('level-1">👩‍👩‍👧</p>');
    expect(show('a\\u{202e}b `\\u{202e}`')).toContain('a\\u{202e}b <code>\\u{202e}</code>');
  });
});

describe('hostile Markdown takes bounded work', () => {
  const measureDepth = (tokens: readonly any[]): number =>
    Math.max(0, ...tokens.map((token) => 1 + measureDepth([...(token.tokens ?? []), ...(token.items ?? [])])));

  it.each([
    ['quotes', '> '.repeat(10_000) + 'x'],
    ['lists', '+ '.repeat(10_000) + 'x'],
    ['emphasis', '*a **b '.repeat(2_000) + '** *'.repeat(2_000)],
    ['brackets', '['.repeat(10_000) + 'x' + '](y)'.repeat(5_000)],
    ['deletions', '~~a ~b '.repeat(2_000)],
  ])('10,000 nested %s have few levels', (_, text) => {
    const tokens = lexMarkdown(text);
    expect(measureDepth(tokens ?? [])).toBeLessThanOrEqual(3 * MAX_DEPTH);
    expect(countTags(show(text))).toBeLessThan(text.length / 4);
  });

  it('a table of 200 columns is shown, and one with more cells than text is text', () => {
    const row = (cell: string) => `|${`${cell}|`.repeat(200)}\n`;
    const table = row('a') + row('-') + row('b').repeat(10);
    expect(countTags(show(table))).toBeGreaterThan(11 * 200);
    const amplified = row('a') + row('-') + '|b\n'.repeat(8_000);
    expect(countTags(show(amplified))).toBeLessThan(8_010);
    expect(show(amplified)).not.toContain('<table');
  });

  it('a paragraph with more links or delimiters than people write is text', () => {
    for (const [text, limit] of [
      ['[a](', MAX_LINKS],
      ['*a ', MAX_DELIMITERS],
    ] as const) {
      expect(show(`# **b**\n\n${text.repeat(limit + 1)}`)).toContain(
        `<strong>b</strong></p><p>${text.repeat(limit + 1).trim()}`,
      );
      expect([...lexMarkdown(text.repeat(limit + 1))!]).toMatchObject([
        { type: 'paragraph', tokens: [{ type: 'text' }] },
      ]);
    }
    expect(show('[a](https://b.example) '.repeat(MAX_LINKS)).match(/<a /g)).toHaveLength(MAX_LINKS);
  });

  it('text beyond the limit is shown as it was written', () => {
    const text = '**a** '.repeat(MAX_MARKDOWN_LENGTH / 6 + 1);
    expect(show(text)).toBe(`<div class="body plain">${text}</div>`);
  });
});
