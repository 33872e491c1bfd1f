import type { AccountApi } from '../content/account-api';
import type { PushSubscriptionRecord } from '../content/records';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { keepSubscribed, turnOff } from './push-registration';

const CHOICE = { accountId: 'acc_1', events: ['permission.requested'] };

describe('turning notifications off', () => {
  const record = { id: 'push_1', deviceId: 'dev_1' } as PushSubscriptionRecord;
  const createApi = (answer: Promise<void>) => ({ delete: () => answer }) as unknown as AccountApi;
  /** What the service has. */
  let records: PushSubscriptionRecord[];
  let stored: Map<string, string>;
  let log: string[];

  const note = (text: string) => {
    log.push(text);
    return Promise.resolve();
  };
  const subscription = {
    unsubscribe: () => note('unsubscribed'),
    toJSON: () => ({ endpoint: 'https://push.test/1', keys: { p256dh: 'p', auth: 'a' } }),
  };
  const registration = {
    scope: 'https://service.test/console/push/',
    pushManager: {
      getSubscription: () => Promise.resolve(subscription),
      subscribe: () => note('subscribed').then(() => subscription),
    },
    unregister: () => note('unregistered'),
  };
  const answerCall = (path: string, method: string) => {
    const login = { accountId: 'acc_1', deviceId: 'dev_1', csrfToken: 'token' };
    const list = { data: records, nextCursor: null, applicationServerKey: 'key' };
    const body = path.endsWith('/login') ? { data: login } : method === 'POST' ? { data: record } : list;
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };
    return Promise.resolve(new Response(JSON.stringify(body), { headers }));
  };
  const readChoice = () => JSON.parse(stored.get('notifications') ?? 'null') as object | null;

  beforeEach(() => {
    [records, log] = [[], []];
    stored = new Map([['notifications', JSON.stringify(CHOICE)]]);
    const localStorage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    };
    const navigator = { serviceWorker: { getRegistration: () => Promise.resolve(registration) } };
    const Notification = { permission: 'granted' };
    for (const [name, value] of Object.entries({ navigator, localStorage, Notification, PushManager: {} }))
      Object.defineProperty(globalThis, name, { configurable: true, value });
    jest.spyOn(globalThis, 'fetch').mockImplementation((path, init) => answerCall(path as string, init!.method!));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => {
    for (const name of ['navigator', 'localStorage', 'Notification', 'PushManager'])
      Reflect.deleteProperty(globalThis, name);
  });

  it('forgets what was turned on, also if the subscription has ended already', async () => {
    await turnOff(createApi(Promise.reject(new ServiceError(404, { code: 'not_found' }))), record);
    expect(readChoice()).toBeNull();
    expect(log).toEqual(['unsubscribed', 'unregistered']);
  });

  it('changes nothing if the service refuses', async () => {
    const refusing = createApi(Promise.reject(new ServiceError(503, { code: 'service_unavailable' })));
    await expect(turnOff(refusing, record)).rejects.toThrow(ServiceError);
    expect(readChoice()).toEqual(CHOICE);
    expect(log).toEqual([]);
  });

  it('leaves the browser subscribed while the service may still notify', async () => {
    await expect(turnOff(createApi(Promise.reject(new UnreachableError())), record)).rejects.toThrow(UnreachableError);
    expect(readChoice()).toMatchObject(CHOICE);
    records = [record];
    await keepSubscribed();
    expect(readChoice()).toMatchObject(CHOICE);
    expect(log).toEqual([]);
  });

  it('is completed on Home if the page was closed before the answer came', async () => {
    void turnOff(createApi(new Promise(() => undefined)), record);
    await keepSubscribed();
    expect(readChoice()).toBeNull();
    expect(log).toEqual(['unsubscribed', 'unregistered']);
  });

  it('differs from a subscription that the service has lost, which Home renews', async () => {
    await keepSubscribed();
    expect(readChoice()).toEqual(CHOICE);
    expect(log).toContain('subscribed');
  });
});
