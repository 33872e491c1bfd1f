import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSpawnError, type CommandError } from './command-error';
import { executeCommand, type ExecuteCommandOptions } from './execute-command';

const folder = mkdtempSync(join(tmpdir(), 'command-error-'));
afterAll(() => rmSync(folder, { recursive: true }));

const runTestCommand = (command: string, args: string[] = [], options: Partial<ExecuteCommandOptions> = {}) =>
  executeCommand({ command, args, cwd: folder, timeoutMs: 10_000, ...options });
const getErrorCode = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: CommandError) => error.code,
  );

describe('a command that cannot be started', () => {
  it('does not exist', async () => {
    expect(await getErrorCode(runTestCommand('no-such-command-here'))).toBe('command_not_found');
    expect(await getErrorCode(runTestCommand('/no/such/path'))).toBe('command_not_found');
    expect(await getErrorCode(runTestCommand('/etc/hostname/x'))).toBe('command_not_found');
  });

  it('is named by whole characters, as are the folders that were searched', () => {
    const command = `${'x'.repeat(199)}😀`;
    const { message } = toSpawnError(command, { code: 'ENOENT' }, `/${'y'.repeat(998)}😀`);
    expect(message).toContain(`"${'x'.repeat(199)}…"`);
    expect(message).toContain(`/${'y'.repeat(998)}….`);
  });

  it('may not be executed', async () => {
    const file = join(folder, 'plain.txt');
    writeFileSync(file, 'echo no\n', { mode: 0o644 });
    expect(await getErrorCode(runTestCommand(file))).toBe('permission_denied');
    expect(await getErrorCode(runTestCommand(folder))).toBe('permission_denied');
  });

  it('has no directory to run in', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await getErrorCode(runTestCommand('true', [], { cwd: join(folder, 'missing') }))).toBe('cwd_not_found');
    for (const cwd of [file, join(file, 'below'), join(folder, 'x'.repeat(300))])
      expect(await getErrorCode(runTestCommand('true', [], { cwd }))).toBe('cwd_not_found');
    expect(await getErrorCode(runTestCommand('no-such-command-here', [], { cwd: '/missing' }))).toBe('cwd_not_found');
  });

  it('has more arguments than the system takes', async () => {
    expect(await getErrorCode(runTestCommand('true', Array<string>(256).fill('ü'.repeat(8192))))).toBe('internal');
  });
});
