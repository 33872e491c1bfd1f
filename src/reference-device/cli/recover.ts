import { readFile } from 'node:fs/promises';
import { recover } from '../recover';
import type { Command } from './command';
import { facts } from './layout';

export const recoverCommand: Command = {
  name: 'recover',
  positionals: [],
  summary: 'Make this computer a device of an account by its recovery key',
  options: {
    'recovery-key-file': { value: 'FILE', help: 'default: asked for, or read from standard input' },
    name: { value: 'NAME', help: "this device's name (default: the computer's)" },
    platform: { value: 'NAME', help: 'default: the operating system' },
  },
  async run(call) {
    const file = call.text('recovery-key-file');
    const recoveryKey = file ? (await readFile(file, 'utf8')).trim() : await call.terminal.secret('Recovery key: ');
    const store = call.store('account');
    const device = await recover({
      ...call.address(),
      store,
      recoveryKey,
      name: call.text('name'),
      platform: call.text('platform'),
    });
    const account = await device.account();
    const { deviceId, fingerprint } = device;
    if (call.json) return call.terminal.json({ account, deviceId, fingerprint, keyFile: store.location });
    call.terminal.line(`This computer is a device of ${account.username} now.\n`);
    call.terminal.line(
      facts([
        ['Device', deviceId ?? ''],
        ['Fingerprint', fingerprint],
        ['Key file', store.location],
      ]),
    );
    call.terminal.line('\nThe recovery key stays good. Look through "devices" and revoke what was lost.');
  },
};
