import { TitleFilter } from './title-filter';

const report = (title: unknown) => ({ sessionUpdate: 'session_info_update', title });

function createFilter(...prompts: string[]) {
  const filter = new TitleFilter();
  for (const prompt of prompts) filter.beginPrompt(prompt);
  return filter;
}

describe('a title of an agent', () => {
  it.each(['Failing test', 'Fix the test of today', 'The test', 'A... b'])('is %s', (title) => {
    expect(createFilter('Fix the test\nIt fails.').findTitle(report(title))).toBe(title);
  });

  it.each([
    ['the prompt', 'Fix the test\nIt fails.'],
    ['its first line', 'Fix the test'],
    ['its beginning in one line, in other case', ' fix  the TEST it '],
    ['its beginning with an ellipsis', 'Fix the te\u2026'],
    ['another text that is cut', 'Deploy the serv... '],
    ['blank', ' \n'],
    ['no text', 1],
    ['missing', undefined],
  ])('is not one that is %s', (_, title) => {
    expect(createFilter('\n Fix the test\nIt fails.').findTitle(report(title))).toBeUndefined();
  });

  it('is not the prompt before the running one', () => {
    const filter = createFilter('Fix it', 'Deploy');
    expect(['Fix it', 'Deploy'].map((title) => filter.findTitle(report(title)))).toEqual([undefined, undefined]);
  });

  it('is not given before the first prompt, or with another update', () => {
    expect(createFilter().findTitle(report('New session'))).toBeUndefined();
    expect(createFilter('Fix it').findTitle({ sessionUpdate: 'plan', title: 'Failing test' })).toBeUndefined();
  });
});
