import { Registry } from 'prom-client';
import { Clock, DAY } from '../../common/clock';
import type { EventType } from '../../core/events';
import type { EventPayloadService } from '../event-access';
import { EventCursorService, isSessionPlace, type EventPlace } from './event-cursor.service';
import type { EventPage, LoggedEvent } from './event-log.repository';
import { EventPageWriter } from './event-page-writer';
import { createCaller, createStream, type FakeResponse } from './testing/stream-fixture';

const SNAPSHOT = '20:20:';

/** Returns a short name of the place, as the cursor of the test. */
function describePlace(place: EventPlace): string {
  if (isSessionPlace(place)) return `${place.after}`;
  return place.page ? `${place.after} ${place.page.last.id}` : place.after;
}

describe('the writer of event pages', () => {
  let readableIds: Set<string>;
  let writer: EventPageWriter;

  beforeEach(() => {
    readableIds = new Set();
    const clock = new Clock();
    const cursors = Object.assign(new EventCursorService(null!, clock), { encodePlace: describePlace });
    const payloads = {
      renderPayloads: (events: readonly LoggedEvent[], { tokenId }: { tokenId: string }) =>
        Promise.resolve(
          new Map(events.filter(({ id }) => readableIds.has(tokenId + id)).map(({ id }) => [id, '{"granted":true}'])),
        ),
    } as unknown as EventPayloadService;
    writer = new EventPageWriter(cursors, payloads, null!, clock, new Registry());
  });

  const createEvent = (n: number, type: EventType = 'session.created', text = ''): LoggedEvent => ({
    id: `evt_${n}`,
    key: { sessionId: 'ses_1', position: n, id: `evt_${n}` },
    type,
    payload: JSON.stringify({ timestamp: Date.now(), n, text }),
  });
  const createPage = (events: LoggedEvent[], change: Partial<EventPage> = {}): EventPage => ({
    events,
    isFull: false,
    isOverflowing: false,
    readAt: Date.now(),
    snapshot: SNAPSHOT,
    generation: 'g1',
    ...change,
  });
  const listBlocks = ({ text }: FakeResponse) =>
    text
      .split('\n\n')
      .filter(Boolean)
      .map((block) => block.split('\n'));
  const listIds = (response: FakeResponse) =>
    listBlocks(response).map(([, , data]) => (JSON.parse(data!.slice('data: '.length)) as { id: string }).id);
  const ofSession: Parameters<typeof createStream>[0] = {
    sessionId: 'ses_1',
    place: { accountId: 'acc_1', sessionId: 'ses_1', after: 0, at: Date.now() },
  };

  it('sends id, type and payload of each event, and moves the stream behind the page', async () => {
    const { stream, response } = createStream();
    const page = createPage([createEvent(1), createEvent(2, 'session.ended')]);
    expect(await writer.writePage([stream], page)).toEqual(new Set());
    expect(listBlocks(response).map(([id, type]) => [id, type])).toEqual([
      ['id: 10:10: evt_1', 'event: session.created'],
      [`id: ${SNAPSHOT}`, 'event: session.ended'],
    ]);
    expect(listIds(response)).toEqual(['evt_1', 'evt_2']);
    expect(describePlace(stream.place)).toBe(SNAPSHOT);
  });

  it('leaves out types that were not asked for, or that the caller may not see, and passes them', async () => {
    const asked = createStream({ types: new Set<EventType>(['session.ended']) });
    const limited = createStream({ caller: createCaller({ scopes: ['sessions:read'] }) });
    const events = [createEvent(1, 'session.ended'), createEvent(2, 'machine.online'), createEvent(3, 'token.created')];
    await writer.writePage([asked.stream, limited.stream], createPage(events));
    for (const { stream, response } of [asked, limited]) {
      expect(listIds(response)).toEqual(['evt_1']);
      expect(describePlace(stream.place)).toBe(SNAPSHOT);
    }
  });

  it('sends each recipient its own payload of an event', async () => {
    const own = createStream({ caller: createCaller({ tokenId: 'tok_1' }) });
    const other = createStream({ caller: createCaller({ tokenId: 'tok_2' }) });
    readableIds = new Set(['tok_1evt_1']);
    await writer.writePage([own.stream, other.stream], createPage([createEvent(1)]));
    expect(own.response.text).toContain('"granted":true');
    expect(other.response.text).not.toContain('"granted":true');
  });

  it('says that more follows after a full page, from the last event of it', async () => {
    const { stream } = createStream();
    const page = createPage([createEvent(1), createEvent(2)], { isFull: true });
    expect(await writer.writePage([stream], page)).toEqual(new Set([stream]));
    expect(describePlace(stream.place)).toBe('10:10: evt_2');
    await writer.writePage([stream], createPage([createEvent(3)], { snapshot: '30:30:' }));
    // Events of later transactions, which the second statement saw, belong to the next page.
    expect(describePlace(stream.place)).toBe(SNAPSHOT);
  });

  it('stops within a page of large events, and continues with the next one', async () => {
    const { stream, response } = createStream(ofSession);
    const events = [1, 2, 3].map((n) => createEvent(n, 'message.created', 'x'.repeat(200_000)));
    expect(await writer.writePage([stream], createPage(events))).toEqual(new Set([stream]));
    expect(listIds(response)).toEqual(['evt_1', 'evt_2']);
    expect(describePlace(stream.place)).toBe('2');
  });

  it('ends the stream of a session after its deletion, without a time after which to reconnect', async () => {
    const session = createStream(ofSession);
    const account = createStream();
    const events = [createEvent(1, 'session.ended'), createEvent(2, 'session.deleted')];
    await writer.writePage([session.stream], createPage(events));
    await writer.writePage([account.stream], createPage(events));
    expect(listIds(session.response)).toEqual(['evt_1', 'evt_2']);
    expect(session.response.writableEnded).toBe(true);
    expect(session.response.text).not.toContain('retry');
    expect(account.response.writableEnded).toBe(false);
  });

  it('sends nothing of a restored database', async () => {
    const { stream, response } = createStream();
    await writer.writePage([stream], createPage([createEvent(1)], { generation: 'g2' }));
    expect(response).toMatchObject({ writableEnded: true, text: '' });
  });

  it('sends nothing after a place that is older than 24 hours, but its cursor, which is refused', async () => {
    const at = Date.now() - DAY - 1_000;
    const { stream, response } = createStream({ place: { accountId: 'acc_1', after: '10:10:', at, page: null } });
    await writer.writePage([stream], createPage([createEvent(1)]));
    expect(response).toMatchObject({ writableEnded: true, text: 'retry: 1000\nid: 10:10:\n\n' });
  });
});
