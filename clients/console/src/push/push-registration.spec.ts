import type { AccountApi } from '../content/account-api';
import type { PushSubscriptionRecord } from '../content/records';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { turnOff } from './push-registration';

describe('turning notifications off', () => {
  const record = { id: 'push_1' } as PushSubscriptionRecord;
  const refuse = (error: Error) => ({ delete: () => Promise.reject(error) }) as unknown as AccountApi;
  let forgotten: string[];

  beforeEach(() => {
    forgotten = [];
    const localStorage = { removeItem: (key: string) => forgotten.push(key) };
    for (const [name, value] of Object.entries({ navigator: {}, localStorage }))
      Object.defineProperty(globalThis, name, { configurable: true, value });
  });
  afterAll(() => {
    for (const name of ['navigator', 'localStorage']) Reflect.deleteProperty(globalThis, name);
  });

  it('forgets what was turned on, also if the subscription has ended already', async () => {
    await turnOff(refuse(new ServiceError(404, { code: 'not_found' })), record);
    expect(forgotten).toEqual(['notifications']);
  });

  it('changes nothing while the service still notifies', async () => {
    await expect(turnOff(refuse(new UnreachableError()), record)).rejects.toThrow(UnreachableError);
    expect(forgotten).toEqual([]);
  });
});
