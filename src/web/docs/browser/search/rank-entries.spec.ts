import { rankEntries, type IndexEntry } from './rank-entries';

const entry = (h: string, t = '', p = 'Guides'): IndexEntry => ({ u: `/${h}`, h, p, t });
const search = (entries: IndexEntry[], query: string) => rankEntries(entries, query).map((each) => each.entry.h);

describe('the search', () => {
  it('prefers the same heading, then a heading with the word, then the text', () => {
    const entries = [entry('Webhooks', 'limits'), entry('Rate limits'), entry('Limits'), entry('Other', 'no match')];
    expect(search(entries, 'limits')).toEqual(['Limits', 'Rate limits', 'Webhooks']);
  });

  it('finds entries that contain all terms, in any case, also in the page', () => {
    const entries = [entry('Retry', 'with a key', 'Guides › Relay'), entry('Retry', 'without')];
    expect(search(entries, 'RELAY key')).toEqual(['Retry']);
    expect(search(entries, 'relay nothing')).toEqual([]);
  });

  it('prefers the start of a word', () => {
    expect(search([entry('A', 'unrelated'), entry('B', 'a relay')], 'rela')).toEqual(['B', 'A']);
  });

  it('finds nothing without a term', () => {
    expect(search([entry('A')], '  ')).toEqual([]);
  });

  it('cuts the text around the first match at words', () => {
    const [found] = rankEntries([entry('A', `${'word '.repeat(60)}needle ${'more '.repeat(60)}`)], 'needle');
    expect(found!.excerpt).toMatch(/^… (word )+needle( more)+ …$/);
    expect(found!.excerpt.length).toBeLessThan(160);
  });
});
