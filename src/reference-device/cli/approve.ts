import { UsageError, type Command } from './command';
import { facts, printable } from './layout';

export const approveCommand: Command = {
  name: 'approve',
  positionals: ['CODE'],
  summary: 'Let a device join the account',
  options: { yes: { help: 'do not ask; only where the fingerprint was compared already' } },
  async run(call) {
    const { terminal } = call;
    const code = call.positional(0);
    if (!call.flag('yes') && !terminal.interactive)
      throw new UsageError('Nobody can be asked here: compare the fingerprint and use --yes.');
    const device = await call.accountDevice();
    const request = await device.pairing(code);
    if (!call.json)
      terminal.line(
        facts([
          ['Kind', request.kind],
          ['Name', printable(request.name)],
          ['Platform', printable(request.platform)],
          ['Address', printable(request.address ?? '-')],
          ['Fingerprint', request.fingerprint],
        ]),
      );
    if (!call.flag('yes') && !(await terminal.confirm('Does the other screen show this fingerprint?')))
      throw new Error('Not approved.');
    await device.approve(code, request);
    const { kind, name, fingerprint } = request;
    if (call.json) terminal.json({ approved: true, kind, name, fingerprint });
    else terminal.line(`Approved: this ${kind} is now a device of the account.`);
  },
};

export const denyCommand: Command = {
  name: 'deny',
  positionals: ['CODE'],
  summary: 'Turn a device away',
  options: {},
  async run(call) {
    await (await call.accountDevice()).deny(call.positional(0));
    if (call.json) call.terminal.json({ denied: true });
    else call.terminal.line('Denied.');
  },
};
