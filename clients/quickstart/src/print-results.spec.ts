import type { MachineEvent } from '@external-api/device';
import { printChanges, printFooter, printMachineEvent } from './print-results';
import { ProgressView } from './progress-view';

/** Returns what is printed where nobody watches. */
function print(write: (progressView: ProgressView) => void): string {
  let text = '';
  const output = { isTTY: false, write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
  write(new ProgressView(output, {}));
  return text;
}

const EDIT = 'edit greeting.txt Good morning';

it.each([
  ['has words for the test agent', true],
  ['has no words for the test agent of a real one', false],
])('the footer links to the console, and %s', (_, isTestAgent) => {
  const text = print((view) => printFooter(view, 'http://127.0.0.1:3000', '/srv/demo', 'AAAA-BBBB', isTestAgent));
  expect(text).toContain('\nhttp://127.0.0.1:3000/console/recover#key=AAAA-BBBB\n');
  expect(text).toContain('It expires in a day or with the next quickstart.');
  expect(text).toContain('service.log are in /srv/demo.');
  expect(text.includes(EDIT)).toBe(isTestAgent);
});

it('prints the lines of a patch as they are', () => {
  expect(print((view) => printChanges(view, '@@ -1 +1 @@\n-a\n+b\n'))).toBe(
    '\nWhat the agent has changed\n\n  @@ -1 +1 @@\n  -a\n  +b\n\n',
  );
});

it.each<[MachineEvent, string]>([
  [
    { event: 'call', method: 'machine.invoke', requestId: 'req_1', outcome: 'ok', ms: 12 },
    'machine.invoke  req_1  ok  12 ms',
  ],
  [{ event: 'connected' }, 'reconnected'],
  [{ event: 'disconnected', reason: 'transport close' }, 'disconnected: transport close'],
  [{ event: 'agent', problem: 'it ended' }, 'agent: it ended'],
])('prints the event %j of the machine with its time', (event, line) => {
  const text = print((view) => printMachineEvent(view, event));
  expect(text).toMatch(/^ {2}\d\d:\d\d:\d\d {2}/);
  expect(text.slice(12)).toBe(`${line}\n`);
});

it('prints nothing about a machine that was paired', () => {
  expect(print((view) => printMachineEvent(view, { event: 'paired', account: 'ada', accountId: 'acc_1' }))).toBe('');
});
