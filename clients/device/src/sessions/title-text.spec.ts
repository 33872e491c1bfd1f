import { toAgentTitle, toMessageTitle } from './title-text';

describe('the title of a message', () => {
  it.each([
    ['its first line', 'Fix the test\nand then deploy', 'Fix the test'],
    ['the first line that is not blank', '\r\n \t\n  Fix the test  \r\n', 'Fix the test'],
    ['one line of a text with other line breaks', 'a\u2028b', 'a'],
    ['without runs of spaces', 'Fix\u00a0 \t the test', 'Fix the test'],
    ['without control characters', 'Fix\u001b[31m\u0000the\u0007 test\u007f', 'Fix [31m the test'],
    ['with escapes for what turns text around', 'gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['with the characters of its language', 'می\u200cخواهم 👩🏽‍💻 é', 'می\u200cخواهم 👩🏽‍💻 é'],
    ['without halves of characters', 'a\ud83d', 'a\\u{d83d}'],
    ['nothing for a blank message', ' \n\t\u0000', ''],
  ])('is %s', (_, message, title) => {
    expect(toMessageTitle(message)).toBe(title);
  });

  it('has 60 characters, and is cut between them', () => {
    expect(toMessageTitle('x'.repeat(61))).toBe('x'.repeat(60));
    expect(toMessageTitle('👩🏽‍💻'.repeat(61))).toBe('👩🏽‍💻'.repeat(60));
    expect(toMessageTitle('e\u0301'.repeat(61))).toBe('e\u0301'.repeat(60));
    expect(toMessageTitle(`${'x'.repeat(59)} y`)).toBe('x'.repeat(59));
  });

  it('is bounded in memory and time for any message', () => {
    const startedAt = performance.now();
    expect(toMessageTitle(`e${'\u0301'.repeat(1_000_000)}`).length).toBeLessThanOrEqual(480);
    expect(toMessageTitle(`${'\n'.repeat(1_000_000)}x`)).toBe('x');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

it('is longer if an agent gives it', () => {
  expect(toAgentTitle('x'.repeat(121))).toBe('x'.repeat(120));
});
