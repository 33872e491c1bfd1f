import type { AccountApi } from '../content/account-api';
import type { PermissionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { followPendingRequests } from './pending-requests';

/** Channel between the pages of a browser. */
class TestChannel extends EventTarget {
  static readonly open = new Set<TestChannel>();
  constructor(private readonly name: string) {
    super();
    TestChannel.open.add(this);
  }
  postMessage(data: unknown): void {
    for (const other of TestChannel.open) {
      if (other === this || other.name !== this.name) continue;
      other.dispatchEvent(Object.assign(new Event('message'), { data }));
    }
  }
}

describe('the requests that wait', () => {
  let pending: PermissionRecord[];
  let page: EventTarget & { hidden: boolean };

  const createRequest = (lifetimeMs: number) =>
    ({ id: 'perm_1', expiresAt: Date.now() + lifetimeMs }) as PermissionRecord;
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  /** Opens a page of the browser. The first one gets the stream. @param hasLogin false if the stream is refused */
  const openPage = async (hasLogin = true) => {
    const opened = {
      reads: 0,
      shown: [] as string[],
      announced: [] as string[],
      unseen: [] as string[],
      stream: undefined as ReadableStreamDefaultController<Uint8Array> | undefined,
    };
    const api = {
      getAll: () => {
        opened.reads++;
        return Promise.resolve(pending);
      },
      openStream: () => {
        if (!hasLogin) return Promise.reject(new ServiceError(401, {}));
        const body = new ReadableStream<Uint8Array>({ start: (controller) => void (opened.stream = controller) });
        return Promise.resolve({ body });
      },
    } as unknown as AccountApi;
    followPendingRequests(api, 'acc_1', {
      onChange: (requests) => void (opened.shown = requests.map(({ id }) => id)),
      onRequest: ({ id }, isUnseen) => {
        opened.announced.push(id);
        if (isUnseen) opened.unseen.push(id);
        return Promise.resolve();
      },
    });
    await pass(0);
    return opened;
  };
  const emitEvent = async ({ stream }: Awaited<ReturnType<typeof openPage>>) => {
    stream!.enqueue(Buffer.from('id: c1\nevent: permission.requested\ndata: {}\n\n'));
    await pass(0);
    await pass(1_000);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    TestChannel.open.clear();
    page = Object.assign(new EventTarget(), { hidden: false, hasFocus: () => true });
    pending = [];
    let lastLock = Promise.resolve();
    const request = (_name: string, run: () => Promise<void>) => (lastLock = lastLock.then(run));
    const globals = { navigator: { locks: { request } }, document: page, BroadcastChannel: TestChannel };
    for (const [name, value] of Object.entries(globals))
      Object.defineProperty(globalThis, name, { configurable: true, value });
  });
  afterEach(() => jest.useRealTimers());
  afterAll(() => {
    for (const name of ['navigator', 'document', 'BroadcastChannel']) Reflect.deleteProperty(globalThis, name);
  });

  it('are read by one page for all that are hidden', async () => {
    page.hidden = true;
    const [first, second] = [await openPage(), await openPage()];
    pending = [createRequest(3_600_000)];
    await emitEvent(first);
    for (const { shown, announced } of [first, second]) expect([shown, announced]).toEqual([['perm_1'], ['perm_1']]);
    pending = [];
    await emitEvent(first);
    expect([first.shown, second.shown]).toEqual([[], []]);
    expect([first.reads, second.reads]).toEqual([3, 1]);
  });

  it('are announced as unseen by the page with the stream, and not by one whose login has ended', async () => {
    Object.assign(page, { hidden: true, hasFocus: () => false });
    const [ended, live] = [await openPage(false), await openPage()];
    await pass(1_000);
    pending = [createRequest(3_600_000)];
    await emitEvent(live);
    for (const { announced } of [ended, live]) expect(announced).toEqual(['perm_1']);
    expect([ended.unseen, live.unseen]).toEqual([[], ['perm_1']]);
  });

  it('are read by a page as soon as it is visible', async () => {
    page.hidden = true;
    await openPage();
    const second = await openPage();
    pending = [createRequest(3_600_000)];
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    await pass(1_000);
    expect([second.reads, second.shown]).toEqual([2, ['perm_1']]);
  });

  it('disappear when they expire', async () => {
    pending = [createRequest(5_000)];
    const opened = await openPage();
    expect(opened.shown).toEqual(['perm_1']);
    pending = [];
    await pass(7_000);
    expect(opened.shown).toEqual([]);
  });

  it('are not read all the time while they look expired, because the clock of the browser is ahead', async () => {
    pending = [createRequest(-600_000)];
    const opened = await openPage();
    await pass(600_000);
    expect(opened.reads).toBeGreaterThan(5);
    expect(opened.reads).toBeLessThan(15);
  });

  it('disappear soon after they have expired if the clock of the browser is a little ahead', async () => {
    pending = [createRequest(1_000)];
    const opened = await openPage();
    await pass(4_000);
    expect(opened.shown).toEqual(['perm_1']);
    pending = [];
    await pass(4_000);
    expect(opened.shown).toEqual([]);
  });
});
