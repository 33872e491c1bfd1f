import { userInfo } from 'node:os';
import { relative } from 'node:path';
import type { MachineEvent, ServedIdentity } from '../reference-device';
import { requestLine, type Call, type ExternalApi } from './external-api';
import { invokeCall, messageCall, type Relayed } from './relayed-calls';
import type { Screen } from './screen';

/** Requests and answers of the relayed calls, whole. */
export function showAnswers(screen: Screen, relayed: Relayed[]): void {
  screen.heading('What came back');
  for (const { call, answer } of relayed) {
    screen.line(`  ${screen.paint('cyan', requestLine(call))}`);
    screen.line(`  ${JSON.stringify(call.body)}`);
    const json = JSON.stringify(answer.body, null, 2).replaceAll('\n', '\n  ');
    screen.line(`  ${screen.paint('green', String(answer.status))} ${json}\n`);
  }
}

/** Lines that work as they are in any POSIX shell on this computer; the remarks are comments there. */
export function showCurlLines(screen: Screen, api: ExternalApi, { machineId, sessionId }: ServedIdentity): void {
  const lines: [string, Call][] = [
    ['who the token stands for, and its limits', { method: 'GET', path: '/me' }],
    ['the machines of the account', { method: 'GET', path: '/machines' }],
    ['a message into the session; the machine answers in capitals', messageCall(sessionId, 'is anybody there?')],
    ['a command on the machine', invokeCall(machineId, 'date', ['-u'])],
  ];
  screen.line(`${screen.paint('bold', 'Copy a line into another terminal')}`);
  for (const [remark, call] of lines) {
    screen.line(`\n${screen.paint('dim', `# ${remark}`)}\n${api.curl(call)}`);
  }
}

export function showFooter(screen: Screen, folder: string): void {
  const place = relative(process.cwd(), folder) || '.';
  screen.line();
  screen.line(
    `The token runs commands on this computer as ${userName()}. It ends in a day, or with the next quickstart.`,
  );
  screen.line(`Data, key files and service.log are in ${place.startsWith('..') ? folder : place}.`);
  screen.line(`${screen.paint('bold', 'Up until Ctrl-C.')} Calls show here:\n`);
}

/** One line for each thing that happens to the machine while the quickstart stays up. */
export function showEvent(screen: Screen, event: MachineEvent): void {
  const text = describe(event);
  if (text) screen.line(`  ${screen.paint('dim', new Date().toTimeString().slice(0, 8))}  ${text}`);
}

function describe(event: MachineEvent): string | null {
  switch (event.event) {
    case 'call':
      return `${event.method}  ${event.requestId}  ${event.outcome}  ${event.ms} ms`;
    case 'connected':
      return 'connected again';
    case 'disconnected':
      return `disconnected: ${event.reason}`;
    case 'waiting':
      return event.reason;
    case 'history':
      return `history: ${event.problem}`;
    case 'pairing':
    case 'paired':
    case 'serving':
      return null;
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
