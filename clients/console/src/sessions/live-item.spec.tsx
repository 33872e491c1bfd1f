import { render } from 'preact-render-to-string';
import { LiveItem } from './live-item';
import type { LiveText } from './live-text';

const show = (kind: LiveText['kind'], text: string) =>
  render(<LiveItem live={{ kind, text, isIncomplete: false } as LiveText} />)
    .replace(/<[^>]+>/g, '|')
    .replace(/\s*\|[\s|]*/g, '|');

describe('what an agent does at the moment', () => {
  it('is a plan, with the steps that are done and the present one, and how many are left out', () => {
    const entries = [
      { content: 'Read', status: 'completed' },
      { content: 'Write', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
    ];
    expect(show('plan', JSON.stringify({ entries, omitted: 1_200 }))).toBe(
      '|Agent|plan|Read|done|Write|now|Test|1,200 more|',
    );
    expect(show('plan', JSON.stringify({ entries: entries.slice(2), omitted: 0 }))).toBe('|Agent|plan|Test|');
  });

  it('is no plan where a device writes something else', () => {
    for (const text of ['null', '{', '{"entries":[null,{"content":1}],"omitted":"many"}'])
      expect(show('plan', text)).toBe('|Agent|plan|');
  });

  it('is a thought, folded to its last line', () => {
    expect(show('thought', 'First this.\nThen that.\n')).toContain('|Agent|thinking|Then that.|');
  });
});
