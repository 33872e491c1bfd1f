import type { Command } from './command';
import { facts, when } from './layout';

export const whoamiCommand: Command = {
  name: 'whoami',
  positionals: [],
  summary: 'Show the account and this device',
  options: {},
  async run(call) {
    const store = call.store('account');
    const device = await call.accountDevice();
    const account = await device.account();
    const { deviceId, fingerprint, url } = device;
    if (call.json) return call.terminal.json({ account, deviceId, fingerprint, url, keyFile: store.location });
    call.terminal.line(
      facts([
        ['Account', `${account.username} (${account.id})`],
        ['Since', when(account.createdAt)],
        ['Device', deviceId ?? '-'],
        ['Fingerprint', fingerprint],
        ['Service', url],
        ['Key file', store.location],
      ]),
    );
  },
};
