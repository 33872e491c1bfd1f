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
