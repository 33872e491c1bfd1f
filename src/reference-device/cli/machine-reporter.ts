import { userInfo } from 'node:os';
import type { MachineEvent } from '../machine-events';
import { facts, when } from './layout';
import type { Terminal } from './terminal';

/** Tells what a machine does: one JSON object per line for scripts, or a few plain lines. */
export function machineReporter(
  terminal: Terminal,
  { json, account }: { json: boolean; account: string },
): (event: MachineEvent) => void {
  if (json) return (event) => terminal.json(event);
  let serving = false;
  const log = (text: string): void => terminal.line(`${new Date().toTimeString().slice(0, 8)}  ${text}`);
  return (event) => {
    switch (event.event) {
      case 'pairing':
        terminal.line(
          facts([
            ['Pairing code', `${event.code} (until ${when(event.expiresAt).slice(11)})`],
            ['Fingerprint', event.fingerprint],
          ]),
        );
        return terminal.line(`\nOn a device of ${account}: npm run device -- approve ${event.code}\n`);
      case 'paired':
        return terminal.line(`Adopted by ${event.account} (${event.accountId}).\n`);
      case 'serving':
        serving = true;
        return terminal.line(
          facts([
            ['Serving', event.account],
            ['Runs as', operatingSystemUser()],
            ['Machine', event.machineId],
            ['Session', `${event.sessionId} (${event.sessionTag})`],
          ]) + '\n',
        );
      case 'connected':
        return serving ? log('connected again') : undefined;
      case 'disconnected':
        return log(`disconnected: ${event.reason}`);
      case 'waiting':
        return log(`${event.reason} Trying again in ${(event.ms / 1000).toFixed(1)} s.`);
      case 'history':
        return log(`history: ${event.problem} Texts that wait: ${event.waiting}.`);
      case 'call':
        return log(`${event.method}  ${event.requestId}  ${event.outcome}  ${event.ms} ms`);
    }
  };
}

/** Whom a token with `machines:invoke` makes its holder. */
function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
