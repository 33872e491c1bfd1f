import { userInfo } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
import type { MachineEvent } from '../machine-events';
import type { PermissionPolicy } from '../permissions/permission-policy';
import type { AgentDecider } from '../sessions/agent-decider';
import type { CommandContext } from './command-context';
import { formatFields, formatTimestamp, sanitizeLine } from './text-format';

/** Light on dark, whatever the colors of the terminal are: many cameras can't read the inverse. */
const QR_COLORS = '\u001b[40;97m';
const RESET = '\u001b[0m';

/** Prints how to approve this device: the console's address, on a terminal with a QR code, and a command. */
export function writePairingNotice(
  { terminal, programName }: CommandContext,
  { code, fingerprint, expiresAt, approvalUrl }: Extract<MachineEvent, { event: 'pairing' }>,
  account: string | undefined,
): void {
  const qrCode = renderUnicodeCompact(approvalUrl, { border: 1 }).split('\n');
  if (terminal.outputColumns > (qrCode[0] ?? '').length)
    terminal.writeUnchanged(`\n${qrCode.map((line) => `${QR_COLORS}${line}${RESET}`).join('\n')}\n`);
  terminal.writeFields([
    ['Approve at', approvalUrl],
    ['Pairing code', `${code} (until ${formatTimestamp(expiresAt).slice(11)})`],
    ['Fingerprint', fingerprint],
  ]);
  terminal.writeLine('\nApprove it only if the other screen shows the same fingerprint.');
  terminal.writeLine(
    `Approve it on a device of ${account ?? 'your account'}: ${programName} approve ${sanitizeLine(code)}\n`,
  );
}

/** Returns a listener that prints a machine's events as plain lines. */
export function createMachineReporter(
  context: CommandContext,
  account: string | undefined,
): (event: MachineEvent) => void {
  const { terminal } = context;
  let isServing = false;
  const writeLogLine = (text: string): void => terminal.writeLine(`${new Date().toTimeString().slice(0, 8)}  ${text}`);
  return (event) => {
    switch (event.event) {
      case 'pairing':
        return writePairingNotice(context, event, account);
      case 'paired':
        return terminal.writeLine(`Paired with ${sanitizeLine(`${event.account} (${event.accountId})`)}.\n`);
      case 'serving':
        isServing = true;
        return terminal.writeLine(
          [
            formatFields([
              ['Serving', event.account],
              ['Runs as', getOperatingSystemUser()],
              ['Machine', event.machineId],
              ['Session', `${event.sessionId} (${event.sessionTag})`],
            ]),
            ...(event.agents ?? []).map(formatDecider),
            '',
          ].join('\n'),
        );
      case 'connected':
        return isServing ? writeLogLine('reconnected') : undefined;
      case 'disconnected':
        return writeLogLine(`disconnected: ${sanitizeLine(event.reason)}`);
      case 'waiting':
        return writeLogLine(`${sanitizeLine(event.reason)} Retrying in ${(event.ms / 1000).toFixed(1)} s.`);
      case 'history':
        return writeLogLine(`history: ${sanitizeLine(event.problem)} Pending messages: ${event.waiting}.`);
      case 'agent':
        return writeLogLine(`agent: ${sanitizeLine(event.problem)}`);
      case 'invocation':
        return writeLogLine(`invocation: ${sanitizeLine(event.problem)}`);
      case 'call':
        return writeLogLine(`${event.method}  ${event.requestId}  ${event.outcome}  ${event.ms} ms`);
    }
  };
}

const PERMISSION_TEXTS: Record<PermissionPolicy, string> = {
  ask: 'asks you',
  reject: 'asks, and is rejected',
  allow: 'asks, and is allowed',
};

/** Returns a line that says who decides what an agent may do. */
function formatDecider({ name, decider, mode, permissions, rules }: AgentDecider): string {
  const inMode = mode === null ? '' : `, mode ${mode}`;
  const first = rules === 0 ? '' : `follows ${rules === 1 ? '1 rule' : `${rules} rules`}, else `;
  const text = first + PERMISSION_TEXTS[permissions];
  switch (decider) {
    case 'agent':
      return `${name}: decides by itself${inMode}`;
    case 'permissions':
      return `${name}: ${text}${inMode}`;
    case 'settings':
      return `${name}: ${text} where its own settings say so${inMode}`;
    case 'unknown':
      return `${name}: ${text}, unless it has modes: then choose one with --agent-mode ${name}=MODE`;
    case 'none':
      return `${name}: is not started, since none of its modes is known to ask. Choose one: --agent-mode ${name}=MODE`;
  }
}

/** Returns the operating-system user that commands of `machines:invoke` tokens run as. */
function getOperatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
