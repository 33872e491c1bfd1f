import { appendMessages, TOOL_CALL_MEDIA_TYPE, type TestMessage } from './support/append-messages';
import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

const ROW = (cell: string) => `|${`${cell}|`.repeat(200)}`;
const MARKDOWN = `## What I found

The total is **wrong** for *empty* lists, see [the docs](https://docs.example/reduce)
and https://github.example/issues/7:

1. \`reduce\` has no initial value
2. The test [doesn’t](javascript:alert(1)) cover it
   - [x] read the code
   - [ ] write a test

> It fails since Monday.

| File | Lines |
| :--- | ----: |
| total.ts | 12 |

\`\`\`ts
// Sums what is there.
export const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
\`\`\`

![a chart](https://images.example/chart.png) <img src="https://images.example/x.png" onerror="alert(2)"> \u202elive`;
const FILE_COUNT = 8;
const FILES = Array.from({ length: FILE_COUNT }, (_, n) => {
  const path = `src/part-${n}.ts`;
  const lines = Array.from({ length: 2_500 }, (__, line) => `${line % 2 ? '+' : '-'}v${line}`);
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1250 +1,1250 @@\n${lines.join('\n')}\n`;
});
const OUTPUT =
  '\u001b[1;32mPASS\u001b[0m total.spec.ts\n' +
  '\u001b[38;2;255;240;180m24-bit\u001b[0m \u001b[48;5;226mmarked\u001b[0m \\u{1b}[31mescaped\\u{1b}[0m\n' +
  'Installing 10%\rInstalling 100%\n';
const toolCall = (localId: string, members: object): TestMessage => ({
  localId,
  role: 'tool',
  mediaType: TOOL_CALL_MEDIA_TYPE,
  text: JSON.stringify({ id: localId, kind: 'execute', status: 'completed', output: '', ...members }),
});

const MESSAGES: TestMessage[] = [
  { localId: 'markdown', text: MARKDOWN },
  { localId: 'wide', text: `${ROW('a')}\n${ROW('-')}\n${ROW('b')}` },
  { localId: 'quotes', text: `${'> '.repeat(10_000)}deep` },
  { localId: 'fence', text: `\`\`\`js\n${'let x = 1;\n'.repeat(300)}` },
  toolCall('diff', { title: 'Change all parts', kind: 'edit', diff: FILES.join('') }),
  toolCall('terminal', { title: 'npm test', output: OUTPUT + 'line\n'.repeat(40) }),
];

describe('what agents write on the page of a session', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await appendMessages(fixture, MESSAGES.length, (index) => MESSAGES[index]!);
  });
  afterAll(() => fixture?.stop());
  afterEach(() => {
    // A violation of the policy of the page is an error of its console.
    expect(fixture.ada.pageErrors.splice(0)).toEqual([]);
  });

  const open = async () => {
    await fixture.ada.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    return fixture.ada.page;
  };

  it('is Markdown without HTML, scripts and requests to other hosts', async () => {
    const { page } = fixture.ada;
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await open();
    const message = page.locator('.message').filter({ hasText: 'What I found' });
    await message.getByRole('table').getByRole('cell', { name: 'total.ts' }).waitFor();
    expect(
      await message.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual([
      'https://docs.example/reduce',
      'https://github.example/issues/7',
      'https://images.example/chart.png',
      'https://images.example/x.png',
    ]);
    expect(await message.locator('.target').allTextContents()).toEqual([
      'docs.example',
      'javascript:alert(1)',
      'images.example',
    ]);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    expect(await message.locator('img, [onerror]').count()).toBe(0);
    expect(await message.textContent()).toContain('<img src=');
    expect(await message.textContent()).toContain('\\u{202e}live');
    expect([...hosts]).toEqual([new URL(fixture.service.url).host]);
    await expectAccessiblePage(fixture.ada, 'session-markdown');
  });

  it('has code with colors and a button that copies it', async () => {
    const page = await open();
    await fixture.ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = page.locator('.code-block').filter({ hasText: 'Sums what is there' });
    const getColor = (element: Element) => getComputedStyle(element).color;
    expect(await code.locator('.t-keyword').first().evaluate(getColor)).not.toBe(await code.evaluate(getColor));
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('(sum, value) => sum + value, 0);');
  });

  it('is folded where it is long, and bounded where it is hostile', async () => {
    const page = await open();
    const fence = page.locator('.message').filter({ hasText: 'let x = 1;' });
    await fence.getByRole('button', { name: 'Show all 300 lines' }).click();
    expect(await fence.locator('pre').textContent()).toBe('let x = 1;\n'.repeat(300).trimEnd());
    const quotes = page.locator('.message').filter({ hasText: 'deep' });
    expect(await quotes.locator('blockquote').count()).toBeLessThan(20);
    expect(await page.locator('.message').filter({ hasText: 'aaa' }).getByRole('columnheader').count()).toBe(200);
  });

  it('has changes of 20,000 lines, file by file, and renders those that are opened', async () => {
    const page = await open();
    const message = page.locator('.message').filter({ hasText: 'Change all parts' });
    await message.getByText('Change all parts').click();
    await message.getByText(`${FILE_COUNT} files:`).waitFor();
    expect(await message.locator('.diff-counts').first().textContent()).toBe('+10,000 added −10,000 removed');
    expect(await message.locator('.diff-line').count()).toBe(0);
    await message.getByText('src/part-3.ts').click();
    await message.getByText('v0', { exact: true }).waitFor();
    expect(await message.locator('.diff-line').count()).toBe(500);
    await message.getByRole('button', { name: 'Show 500 more of 2,504 lines' }).click();
    expect(await message.locator('.diff-line').count()).toBe(1_000);
    await expectAccessiblePage(fixture.ada, 'session-diff');
  });

  it('has the colors of terminals, which the policy of the page allows', async () => {
    const page = await open();
    const message = page.locator('.message').filter({ hasText: 'npm test' });
    await message.getByText('npm test').click();
    const output = message.getByLabel('Output');
    await message.getByRole('button', { name: 'Show all 44 lines' }).click();
    const readStyle = (text: string) =>
      output.getByText(text, { exact: true }).evaluate((element) => {
        const { color, backgroundColor, fontWeight } = getComputedStyle(element);
        return [color, backgroundColor, fontWeight];
      });
    const [green, , weight] = await readStyle('PASS');
    const [ink, paper] = await readStyle('marked');
    const [[beige], [red]] = [await readStyle('24-bit'), await readStyle('escaped')];
    expect(new Set([green, beige, ink, red]).size).toBe(4);
    expect([weight, paper]).toEqual(['700', 'rgb(255, 255, 0)']);
    expect(await output.textContent()).toContain('Installing 100%\n');
    await message.getByRole('button', { name: 'Show all that was written' }).click();
    expect(await output.textContent()).toContain('Installing 10%\\u{d}Installing 100%\n');
    await message.getByRole('button', { name: 'Show all that was written' }).click();
    await expectAccessiblePage(fixture.ada, 'session-terminal');
  });

  it('is a title of one emoji', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('🎉');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { name: '🎉' }).waitFor();
    await expect(page.title()).resolves.toContain('🎉');
  });
});
