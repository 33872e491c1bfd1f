import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../common/project-root';
import { EVENT_TYPES, EVENTS, type EventType } from '../../core/events';

describe('the protocol says which access an event requires', () => {
  const listWords = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
  /** Returns the rows of a page’s table of event types: the types, and what they require. */
  const readRows = (page: string) =>
    readFileSync(join(PROJECT_ROOT, 'docs', 'protocol', `${page}.md`), 'utf8')
      .split('\n')
      .filter((line) => /^\| `\w+\.[\w*]+`/.test(line))
      .map((line) => {
        const [, types = '', required = ''] = line.split('|');
        return { types: listWords(types), required };
      });

  it('of a webhook, for each event type', () => {
    const documented = readRows('webhooks').flatMap(({ types, required }) => {
      const access = required.includes('not available to apps') ? 'no app' : (listWords(required)[0] ?? null);
      return types.map((type) => [type, access] as const);
    });
    const actual = EVENT_TYPES.map((type) => [type, EVENTS[type].access] as const);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
  });

  it('of a stream, for each event type but webhook.test', () => {
    const rows = readRows('event-streams');
    const isOf = (type: EventType) => (name: string) => name === type || name === type.replace(/\..+/, '.*');
    for (const type of EVENT_TYPES.filter((each) => each !== 'webhook.test')) {
      const { access } = EVENTS[type];
      const documented = rows.filter(({ types }) => types.some(isOf(type))).map(({ required }) => listWords(required));
      expect([type, documented]).toEqual([type, [[access === 'no app' ? 'webhooks:manage' : access]]]);
    }
  });
});
