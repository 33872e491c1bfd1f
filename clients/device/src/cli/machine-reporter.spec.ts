import { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { encode } from 'uqr';
import { CommandContext } from './command-context';
import type { AgentDecider } from '../sessions/agent-decider';
import { createMachineReporter, writePairingNotice } from './machine-reporter';
import { Terminal } from './terminal';

const APPROVAL_URL = 'https://api.example.com/console/devices#code=ABCD-2345';

function createContext(terminal: object = {}) {
  const output = Object.assign(new PassThrough(), terminal);
  return { output, context: new CommandContext(new Terminal(new PassThrough(), output), new Command('xapi-device')) };
}

function printNotice(terminal: object): string {
  const { output, context } = createContext(terminal);
  const pairing = { event: 'pairing', code: 'ABCD-2345', fingerprint: 'AAAA BBBB CCCC DDDD', expiresAt: 0 } as const;
  writePairingNotice(context, { ...pairing, approvalUrl: APPROVAL_URL }, 'ada');
  return String(output.read());
}

/** Returns the cells of the printed code: a character has an upper and a lower one, and light ones are drawn. */
function readCells(text: string): boolean[][] {
  const [, ...starts] = text.split('\u001b[40;97m');
  const lines = starts.map((line) => [...(line.split('\u001b[0m', 1)[0] ?? '')]);
  return lines.flatMap((line) => [
    line.map((character) => !'█▀'.includes(character)),
    line.map((character) => !'█▄'.includes(character)),
  ]);
}

it('draws the address as a QR code on a terminal, in colors of its own', () => {
  const text = printNotice({ isTTY: true, columns: 80 });
  const { data, size } = encode(APPROVAL_URL, { border: 1 });
  expect(readCells(text).slice(0, size)).toEqual(data);
  expect(text).toContain(`Approve at    ${APPROVAL_URL}\n`);
  expect(text).toContain('Fingerprint   AAAA BBBB CCCC DDDD\n');
  expect(text).toContain('Approve it on a device of ada: xapi-device approve ABCD-2345\n');
});

it('prints what the service says on lines of its own and without control characters', () => {
  const { output, context } = createContext();
  const hostile = 'AB\nFingerprint   EEEE\u001b[1A';
  const pairing = { event: 'pairing', code: hostile, fingerprint: 'AAAA', expiresAt: 0 } as const;
  writePairingNotice(context, { ...pairing, approvalUrl: APPROVAL_URL }, 'ada');
  const report = createMachineReporter(context, 'ada');
  report({ event: 'waiting', reason: hostile, ms: 1_000 });
  report({ event: 'paired', account: hostile, accountId: 'acc_1' });
  report({ event: 'disconnected', reason: hostile });
  report({ event: 'history', problem: hostile, waiting: 1 });
  report({ event: 'agent', problem: hostile });
  report({ event: 'invocation', problem: hostile });
  const text = String(output.read());
  expect(text.match(/^Fingerprint .*$/gm)).toEqual(['Fingerprint   AAAA']);
  expect(text.split('AB\ufffdFingerprint   EEEE\ufffd[1A')).toHaveLength(9);
  expect(text).not.toContain('\u001b');
});

it.each([
  ['a terminal that is too narrow', { isTTY: true, columns: 30 }],
  ['a journal', {}],
])('leaves the QR code out on %s', (_, terminal) => {
  const text = printNotice(terminal);
  for (const part of ['█', '\u001b']) expect(text).not.toContain(part);
});

it.each<[Omit<AgentDecider, 'name' | 'rules'> & { rules?: number }, string]>([
  [{ decider: 'permissions', mode: 'default', permissions: 'ask' }, 'a: asks you, mode default'],
  [{ decider: 'permissions', mode: 'default', permissions: 'reject' }, 'a: asks, and is rejected, mode default'],
  [{ decider: 'permissions', mode: null, permissions: 'allow' }, 'a: asks, and is allowed'],
  [
    { decider: 'permissions', mode: 'default', permissions: 'reject', rules: 2 },
    'a: follows 2 rules, else asks, and is rejected, mode default',
  ],
  [{ decider: 'agent', mode: 'auto', permissions: 'ask' }, 'a: decides by itself, mode auto'],
  [{ decider: 'settings', mode: 'build', permissions: 'ask' }, 'a: asks you where its own settings say so, mode build'],
  [
    { decider: 'unknown', mode: null, permissions: 'ask' },
    'a: asks you, unless it has modes: then choose one with --agent-mode a=MODE',
  ],
  [
    { decider: 'none', mode: null, permissions: 'ask' },
    'a: is not started, since none of its modes is known to ask. Choose one: --agent-mode a=MODE',
  ],
])('prints at its start who decides: %j', (decider, line) => {
  const { output, context } = createContext();
  const ids = { machineId: 'mch_1', sessionId: 'ses_1', sessionTag: 'tag', deviceId: 'dev_1' };
  createMachineReporter(
    context,
    'ada',
  )({ event: 'serving', account: 'ada', ...ids, agents: [{ name: 'a', rules: 0, ...decider }] });
  expect(String(output.read()).split('\n')).toContain(line);
});
