import { createDeviceState, type DeviceState } from './device-state';
import { MemoryKeyStore } from './key-store';
import { generateDeviceKeys } from './keys';
import { createRemoteService } from './service-address';
import { SignedInDevice } from './signed-in-device';

/** Writes the first state more slowly than the second one. */
class SlowFirstStore extends MemoryKeyStore {
  private delayMs = 50;

  override async saveState(state: DeviceState): Promise<void> {
    const written = structuredClone(state);
    const { delayMs } = this;
    this.delayMs = 0;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await super.saveState(written);
  }
}

it('loses no state when two are saved at the same time', async () => {
  const store = new SlowFirstStore();
  const state = createDeviceState('machine', 'http://localhost', generateDeviceKeys());
  const device = new SignedInDevice(createRemoteService({ url: state.url }), store, state);
  state.deviceId = 'dev_1';
  const first = device.saveState();
  state.account = { id: 'acc_1', username: 'ada' };
  await Promise.all([first, device.saveState()]);
  expect(await store.loadState('machine')).toMatchObject({ deviceId: 'dev_1', account: { id: 'acc_1' } });
});

it('saves the next state after one that could not be saved', async () => {
  const store = new MemoryKeyStore();
  const save = jest.spyOn(store, 'saveState').mockRejectedValueOnce(new Error('ENOSPC'));
  const state = createDeviceState('machine', 'http://localhost', generateDeviceKeys());
  const device = new SignedInDevice(createRemoteService({ url: state.url }), store, state);
  const results = await Promise.allSettled([device.saveState(), device.saveState()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(save).toHaveBeenCalledTimes(2);
});

describe('the token of a device', () => {
  const DAY_MS = 86_400_000;
  const URL = 'https://api.example';
  const createDevice = (lifetimeMs: number, url = URL) => {
    const state = createDeviceState('machine', URL, generateDeviceKeys());
    state.token = { value: 'svc_dev_1', obtainedAt: 0, expiresAt: lifetimeMs, url: URL };
    return new SignedInDevice(createRemoteService({ url }), new MemoryKeyStore(), state);
  };

  it.each([
    ['a day before its expiry', 30 * DAY_MS, 29 * DAY_MS],
    ['in the last tenth of a shorter lifetime', 100_000, 90_000],
  ])('is renewed %s', (_, lifetimeMs, renewedAt) => {
    const device = createDevice(lifetimeMs);
    expect([renewedAt - 1, renewedAt].map((now) => device.needsRenewal(now))).toEqual([false, true]);
  });

  it('is not renewed at each call by a computer whose clock is ahead by more than its lifetime', () => {
    const device = createDevice(30 * DAY_MS);
    device.state.token!.obtainedAt = 400 * DAY_MS;
    expect(device.needsRenewal(400 * DAY_MS + 1)).toBe(false);
  });

  it('is sent to no other address than the one that has given it', async () => {
    const sent = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    await expect(
      createDevice(Number.MAX_SAFE_INTEGER, 'https://other.example').callApi('GET', '/v1/devices'),
    ).rejects.toThrow('Cannot reach https://other.example');
    const calls = JSON.stringify(sent.mock.calls);
    sent.mockRestore();
    expect(calls).toContain('https://other.example');
    expect(calls).not.toContain('svc_dev_1');
  });
});
