import { randomBytes } from 'node:crypto';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { encryptContentJwe } from '../../support/device/jwe-encryption';
import { Service } from '../../support/service';

const MIB = 1_048_576;
const MAX_PAGE_BYTES = 8 * MIB;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

interface Page {
  data: { id: string; seq: number; content: string }[];
  nextCursor: string | null;
}

describe('a page of content', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const get = async (path: string): Promise<Page> => expectStatus(await service.http.get(path, ada.token), 200);
  const bytesOf = ({ data }: Page) => data.reduce((sum, { content }) => sum + content.length, 0);

  /** Reads all pages of a list, with at most 200 items each. */
  async function walk(path: string): Promise<Page[]> {
    const pages = [await get(`${path}limit=200`)];
    for (let cursor = pages[0]!.nextCursor; cursor; cursor = pages.at(-1)!.nextCursor) {
      pages.push(await get(`${path}limit=200&cursor=${encodeURIComponent(cursor)}`));
    }
    return pages;
  }

  async function putArtifact(bytes: number): Promise<string> {
    const { kid, sealed, bytes: key } = ada.createDataKey();
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const place = { a: ada.accountId, t: tag, v: 1 };
    const content = encryptContentJwe(key, kid, place, 'x'.repeat(bytes));
    const body = { tag, mediaType: 'text/plain', dataKey: { kid, sealed }, content };
    return expectStatus(await service.http.post('/v1/artifacts', ada.token, body), 201).data.id;
  }

  describe('of messages', () => {
    let session: DeviceSession;
    beforeAll(async () => {
      session = await DeviceSession.createSession(ada);
      for (const batch of range(2)) {
        const messages = range(16).map((n) => session.encryptMessage(`m-${batch}-${n}`, 'user', 'x'.repeat(260_000)));
        expectStatus(await session.postMessages(messages), 201);
      }
    });

    it.each(['', 'order=desc&', 'afterSeq=1&role=user&'])('ends early at 8 MiB: %s', async (query) => {
      const pages = await walk(`/v1/sessions/${session.id}/messages?${query}`);
      expect(pages).toHaveLength(2);
      for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
      const [first] = pages;
      expect(bytesOf(first!) + first!.data[0]!.content.length).toBeGreaterThan(MAX_PAGE_BYTES);
      const seqs = pages.flatMap(({ data }) => data.map(({ seq }) => seq));
      const all = range(32).map((n) => n + 1);
      if (query.includes('afterSeq')) all.shift();
      expect(seqs).toEqual(query.includes('desc') ? all.reverse() : all);
    });

    it('respects the limit below that', async () => {
      const page = await get(`/v1/sessions/${session.id}/messages?limit=3`);
      expect(page.data.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(page.nextCursor).not.toBeNull();
      const last = await get(`/v1/sessions/${session.id}/messages?limit=3&afterSeq=29`);
      expect(last.data.map(({ seq }) => seq)).toEqual([30, 31, 32]);
      expect(last.nextCursor).toBeNull();
      expect(last.data[0]).not.toHaveProperty('page_bytes');
    });

    it('is empty without items', async () => {
      const page = await get(`/v1/sessions/${session.id}/messages?afterSeq=32`);
      expect(page).toEqual({ data: [], nextCursor: null });
    });
  });

  it('of artifacts ends early too, and has at least one item', async () => {
    const ids = [];
    for (const mib of [5.9, 1, 1, 4]) ids.push(await putArtifact(mib * MIB));
    const pages = await walk('/v1/artifacts?order=asc&');
    expect(pages.map(({ data }) => data.map(({ id }) => id))).toEqual([[ids[0]], [ids[1], ids[2]], [ids[3]]]);
  });

  it('of sessions ends early because of their metadata', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { kid, sealed, bytes } = bob.createDataKey();
    for (const n of range(140)) {
      const tag = `tag-${n}`;
      const metadata = encryptContentJwe(bytes, kid, { a: bob.accountId, s: tag, m: 1 }, 'x'.repeat(48_000));
      expectStatus(
        await service.http.post('/v1/sessions', bob.token, { tag, dataKey: { kid, sealed }, metadata }),
        201,
      );
    }
    const first = expectStatus(await service.http.get('/v1/sessions?limit=200', bob.token), 200);
    expect(first.data.length).toBeLessThan(140);
    const cursor = encodeURIComponent(first.nextCursor);
    const second = expectStatus(await service.http.get(`/v1/sessions?limit=200&cursor=${cursor}`, bob.token), 200);
    expect(first.data.length + second.data.length).toBe(140);
    expect(second.nextCursor).toBeNull();
  });
});
