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

  it('prefers the guide to the reference and the protocol, and a page to a section', () => {
    const entries = [
      entry('Webhooks', '', 'Device API reference'),
      entry('Webhooks', '', 'Protocol'),
      entry('Webhooks', '', 'API reference'),
      entry('Webhooks', '', 'Start › Console'),
      entry('Webhooks', '', 'Guides'),
    ];
    const found = rankEntries(entries, 'webhook').map((each) => each.entry.p);
    expect(found).toEqual(['Guides', 'Start › Console', 'API reference', 'Protocol', 'Device API reference']);
  });

  it('finds a heading of the protocol before a mention in the guide', () => {
    expect(search([entry('Other', 'thumbprint'), entry('Thumbprint', '', 'Protocol')], 'thumbprint')).toEqual([
      'Thumbprint',
      'Other',
    ]);
  });

  it('finds 20 entries at most', () => {
    const entries = Array.from({ length: 21 }, (_, n) => entry(`Limits ${n}`));
    expect(search(entries, 'limits')).toHaveLength(20);
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
