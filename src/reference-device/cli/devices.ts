import type { Command } from './command';
import { printable, table, when } from './layout';

export const devicesCommand: Command = {
  name: 'devices',
  positionals: [],
  summary: "List the account's devices",
  options: {},
  async run(call) {
    const device = await call.accountDevice();
    const devices = await device.devices();
    if (call.json) return call.terminal.json(devices);
    const rows = devices.map((each) => [
      each.id,
      each.kind,
      each.state,
      each.fingerprint,
      when(each.lastSeenAt),
      printable(each.name) + (each.id === device.deviceId ? ' (this one)' : ''),
    ]);
    call.terminal.line(table(['ID', 'KIND', 'STATE', 'FINGERPRINT', 'LAST SEEN', 'NAME'], rows));
  },
};

export const revokeCommand: Command = {
  name: 'revoke',
  positionals: ['DEVICE_ID'],
  summary: 'End all access of a device',
  options: {},
  async run(call) {
    await (await call.accountDevice()).revokeDevice(call.positional(0));
    if (call.json) call.terminal.json({ revoked: true });
    else call.terminal.line('Revoked: its tokens and connections end now.');
  },
};
