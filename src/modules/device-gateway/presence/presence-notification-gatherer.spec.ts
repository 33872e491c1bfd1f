import { waitFor } from '../../../../test/support/wait-for';
import { PresenceNotificationGatherer } from './presence-notification-gatherer';

describe('PresenceNotificationGatherer', () => {
  let published: unknown[][];
  let gatherer: PresenceNotificationGatherer;
  beforeEach(() => {
    published = [];
    gatherer = new PresenceNotificationGatherer((...notification) => published.push(notification));
  });

  const addChange = (n: number, type: 'machine.online' | 'machine.offline', accountId = 'acc_1') =>
    gatherer.addChange({ type, accountId, id: `mch_${n}`, byDeviceId: `dev_${n}`, hostDeviceId: `dev_${n}` });

  it('publishes the first change at once, and the last one of each machine together', async () => {
    addChange(1, 'machine.online');
    const alone = [
      'acc_1',
      { type: 'machine.online', id: 'mch_1' },
      { exceptDeviceId: 'dev_1', hostDeviceId: 'dev_1' },
    ];
    expect(published).toEqual([alone]);
    addChange(2, 'machine.online');
    addChange(1, 'machine.offline');
    addChange(2, 'machine.offline');
    addChange(1, 'machine.online');
    expect(published).toHaveLength(1);
    await waitFor(() => expect(published).toHaveLength(2));
    expect(published[1]).toEqual([
      'acc_1',
      { type: 'machine.offline', id: 'mch_2', more: [{ type: 'machine.online', id: 'mch_1' }] },
      { exceptDeviceId: null, hostDeviceId: null, ownChanges: { dev_1: 'mch_1', dev_2: 'mch_2' } },
    ]);
  });

  it('publishes what was gathered at once if the process exits', () => {
    for (let n = 0; n < 3; n++) addChange(n, 'machine.offline');
    gatherer.publishGathered();
    gatherer.publishGathered();
    expect(published.map(([, message]) => message)).toEqual([
      { type: 'machine.offline', id: 'mch_0' },
      { type: 'machine.offline', id: 'mch_1', more: [{ type: 'machine.offline', id: 'mch_2' }] },
    ]);
  });

  it('gathers the changes of each account by themselves', () => {
    addChange(1, 'machine.online', 'acc_1');
    addChange(2, 'machine.online', 'acc_2');
    expect(published.map(([accountId]) => accountId)).toEqual(['acc_1', 'acc_2']);
  });

  it('publishes at most 500 changes in one notification', async () => {
    for (let n = 0; n <= 501; n++) addChange(n, 'machine.online');
    await waitFor(() => expect(published).toHaveLength(3));
    const counts = published.map(([, message]) => 1 + ((message as { more?: unknown[] }).more?.length ?? 0));
    expect(counts).toEqual([1, 500, 1]);
  });
});
