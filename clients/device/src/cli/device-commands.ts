import type { Command } from 'commander';
import type { CommandContext } from './command-context';
import { formatTimestamp, sanitizeLine } from './text-format';

interface ApproveCommandOptions {
  yes?: boolean;
}

/** Adds `approve`, `deny`, `devices` and `revoke`. */
export function addDeviceCommands(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description('Approve a device that asks to join the account')
    .argument('<code>', 'pairing code that the device shows')
    .option('--yes', "don't ask for confirmation; use it only after comparing the fingerprint")
    .action((code: string, options: ApproveCommandOptions) => approveDevice(context, code, options));
  program
    .command('deny')
    .description('Deny a device that asks to join the account')
    .argument('<code>', 'pairing code that the device shows')
    .action((code: string) => denyDevice(context, code));
  program
    .command('devices')
    .description("List the account's devices")
    .action(() => listDevices(context));
  program
    .command('revoke')
    .description('Revoke a device with its tokens and connections')
    .argument('<device-id>', 'see "devices"')
    .action((deviceId: string) => revokeDevice(context, deviceId));
}

async function approveDevice(context: CommandContext, code: string, { yes }: ApproveCommandOptions): Promise<void> {
  const { terminal } = context;
  if (!yes && !terminal.isInteractive)
    context.failUsage('Confirmation needs a terminal. Compare the fingerprint, then use --yes.');
  const device = await context.openAccountDevice();
  const request = await device.getPairingRequest(code);
  if (!context.isJsonOutput)
    terminal.writeFields([
      ['Kind', request.kind],
      ['Name', request.name],
      ['Platform', request.platform],
      ['Address', request.address ?? '-'],
      ['Fingerprint', request.fingerprint],
    ]);
  if (!yes && !(await terminal.promptConfirmation('Does the other screen show this fingerprint?')))
    throw new Error('Not approved.');
  await device.approvePairing(code, request);
  const { kind, name, fingerprint } = request;
  if (context.isJsonOutput) terminal.writeJson({ approved: true, kind, name, fingerprint });
  else terminal.writeLine(`Approved: ${sanitizeLine(name)} is now a device of the account.`);
}

async function denyDevice(context: CommandContext, code: string): Promise<void> {
  await (await context.openAccountDevice()).denyPairing(code);
  if (context.isJsonOutput) context.terminal.writeJson({ denied: true });
  else context.terminal.writeLine('Denied.');
}

async function listDevices(context: CommandContext): Promise<void> {
  const device = await context.openAccountDevice();
  const devices = await device.listDevices();
  if (context.isJsonOutput) return context.terminal.writeJson(devices);
  const rows = devices.map((listedDevice) => [
    listedDevice.id,
    listedDevice.kind,
    listedDevice.state,
    listedDevice.fingerprint,
    formatTimestamp(listedDevice.lastSeenAt),
    listedDevice.name + (listedDevice.id === device.deviceId ? ' (this device)' : ''),
  ]);
  context.terminal.writeTable(['ID', 'KIND', 'STATE', 'FINGERPRINT', 'LAST SEEN', 'NAME'], rows);
}

async function revokeDevice(context: CommandContext, deviceId: string): Promise<void> {
  await (await context.openAccountDevice()).revokeDevice(deviceId);
  if (context.isJsonOutput) context.terminal.writeJson({ revoked: true });
  else context.terminal.writeLine('Revoked. Its tokens no longer work and its connections are closed.');
}
