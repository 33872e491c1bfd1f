import { signUp } from '../sign-up';
import type { Command } from './command';
import { facts } from './layout';
import { printRecoveryKey } from './recovery-key';

export const signupCommand: Command = {
  name: 'signup',
  positionals: [],
  summary: 'Make an account with this computer as its first device',
  options: {
    username: { value: 'NAME', help: '3 to 32 of a-z 0-9 -' },
    name: { value: 'NAME', help: "this device's name (default: the computer's)" },
    platform: { value: 'NAME', help: 'default: the operating system' },
    invitation: { value: 'CODE', help: 'needed where sign-up is closed' },
  },
  async run(call) {
    const { terminal } = call;
    const store = call.store('account');
    const device = await signUp({
      ...call.address(),
      store,
      username: call.required('username'),
      name: call.text('name'),
      platform: call.text('platform'),
      invitation: call.text('invitation'),
    });
    const account = await device.account();
    if (!call.json) {
      terminal.line(`The account ${account.username} is made.\n`);
      terminal.line(
        facts([
          ['Account', account.id],
          ['Device', device.deviceId ?? ''],
          ['Fingerprint', device.fingerprint],
          ['Key file', store.location],
        ]),
      );
    }
    const recoveryKey = await device.addRecoveryKey().catch((error: Error) => {
      throw new Error(`The account is made, but has no recovery key yet (run "recovery-key"): ${error.message}`);
    });
    const { deviceId, fingerprint } = device;
    if (call.json) terminal.json({ account, deviceId, fingerprint, keyFile: store.location, recoveryKey });
    else printRecoveryKey(terminal, recoveryKey);
  },
};
