import { userInfo } from 'node:os';
import { relative } from 'node:path';
import type { MachineEvent, MachineIdentity } from '@external-api/device';
import { formatRequestLine, type ApiCall, type ExternalApiClient } from './external-api-client';
import { buildInvokeCall, buildMessageCall, type RelayedCall } from './relayed-calls';
import type { ProgressView } from './progress-view';

/** Prints the relayed calls with their requests and responses, for those who get no commands to try. */
export function printResponses(progressView: ProgressView, relayedCalls: RelayedCall[]): void {
  progressView.writeHeading('Responses');
  for (const { apiCall: call, response } of relayedCalls) {
    progressView.writeLine(`  ${progressView.formatText('cyan', formatRequestLine(call))}`);
    progressView.writeLine(`  ${JSON.stringify(call.body)}`);
    const json = JSON.stringify(response.body, null, 2).replaceAll('\n', '\n  ');
    progressView.writeLine(`  ${progressView.formatText('green', String(response.status))} ${json}\n`);
  }
}

/** Prints a patch with colored lines. */
export function printChanges(progressView: ProgressView, patch: string): void {
  progressView.writeHeading('What the agent has changed');
  for (const line of patch.trimEnd().split('\n')) {
    const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    progressView.writeLine(`  ${progressView.formatText(style, line)}`);
  }
  progressView.writeLine();
}

/** Prints commands that run unchanged in any POSIX shell on this computer, with shell comments. */
export function printCurlCommands(
  progressView: ProgressView,
  api: ExternalApiClient,
  { machineId, sessionId }: MachineIdentity,
): void {
  const lines: [string, ApiCall][] = [
    ["the token's account, scopes and limits", { method: 'GET', path: '/me' }],
    ["list the account's machines", { method: 'GET', path: '/machines' }],
    ['send a message to the session; its agent replies', buildMessageCall(sessionId, 'is anyone there?')],
    ['run a command on the machine', buildInvokeCall(machineId, 'date', ['-u'])],
  ];
  progressView.writeLine(`${progressView.formatText('bold', 'Try these commands in another terminal')}`);
  progressView.writeLine(`\n${api.formatTokenCommand()}`);
  for (const [comment, call] of lines) {
    progressView.writeLine(`\n${progressView.formatText('dim', `# ${comment}`)}\n${api.formatCurlCommand(call)}`);
  }
}

/**
 * Prints the link that signs a browser in, and where the data is.
 * @param browserCode recovery key of the account, in the fragment of the link, which no request has
 * @param isTestAgent whether the machine has the test agent, which does what the words of a message say
 */
export function printFooter(
  progressView: ProgressView,
  url: string,
  folder: string,
  browserCode: string,
  isTestAgent: boolean,
): void {
  const relativePath = relative(process.cwd(), folder) || '.';
  const displayPath = relativePath.startsWith('..') ? folder : relativePath;
  progressView.writeLine(`\n${progressView.formatText('bold', 'Open the console')}, signed in, by this link:`);
  progressView.writeLine(progressView.formatText('cyan', `${url}/console/recover#key=${browserCode}`));
  progressView.writeLine(
    'It works until the quickstart stops, in any browser on this computer. The browser stays signed in.',
  );
  if (isTestAgent)
    progressView.writeLine('Send the newest session “edit greeting.txt Good morning”, and the agent asks you first.');
  progressView.writeLine();
  progressView.writeLine(`The token runs commands on this computer as ${getUsername()}.`);
  progressView.writeLine('It expires in a day or with the next quickstart.');
  progressView.writeLine(`The data, key files and service.log are in ${displayPath}.`);
  progressView.writeLine(`${progressView.formatText('bold', 'Running until you press Ctrl-C.')} Calls appear here:\n`);
}

/** Prints one line per machine event while the quickstart is running. */
export function printMachineEvent(progressView: ProgressView, event: MachineEvent): void {
  const text = formatMachineEvent(event);
  if (text)
    progressView.writeLine(`  ${progressView.formatText('dim', new Date().toTimeString().slice(0, 8))}  ${text}`);
}

function formatMachineEvent(event: MachineEvent): string | null {
  switch (event.event) {
    case 'call':
      return `${event.method}  ${event.requestId}  ${event.outcome}  ${event.ms} ms`;
    case 'connected':
      return 'reconnected';
    case 'disconnected':
      return `disconnected: ${event.reason}`;
    case 'waiting':
      return event.reason;
    case 'history':
      return `history: ${event.problem}`;
    case 'agent':
      return `agent: ${event.problem}`;
    case 'invocation':
      return `invocation: ${event.problem}`;
    case 'pairing':
    case 'paired':
    case 'serving':
      return null;
  }
}

function getUsername(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
