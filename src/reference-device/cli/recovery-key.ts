import type { Command } from './command';
import type { Terminal } from './terminal';

export const recoveryKeyCommand: Command = {
  name: 'recovery-key',
  positionals: [],
  summary: 'Make one more recovery key (revoke a lost one with "revoke")',
  options: {},
  async run(call) {
    const recoveryKey = await (await call.accountDevice()).addRecoveryKey();
    if (call.json) call.terminal.json({ recoveryKey });
    else printRecoveryKey(call.terminal, recoveryKey);
  },
};

export function printRecoveryKey(terminal: Terminal, recoveryKey: string): void {
  const groups = recoveryKey.split('-');
  terminal.line('\nRecovery key, shown this once. Write it down and keep it apart from this computer:\n');
  for (let at = 0; at < groups.length; at += 5) terminal.line(`    ${groups.slice(at, at + 5).join('-')}`);
  terminal.line('\nWhoever has it has the account.');
}
