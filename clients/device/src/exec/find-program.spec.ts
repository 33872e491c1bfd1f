import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { executeCommand } from './execute-command';
import { findProgram } from './find-program';
import { createCommandEnvironment } from './spawn-command';

const folder = mkdtempSync(join(tmpdir(), 'find-program-'));
const { PATH } = process.env;
const program = join(folder, 'ä b', 'odd-acp');

beforeAll(() => {
  mkdirSync(dirname(program));
  writeFileSync(program, '#!/bin/sh\necho found\n');
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'plain'), '');
  mkdirSync(join(folder, 'folder'));
  symlinkSync(program, join(folder, 'linked'));
});
afterEach(() => {
  if (PATH === undefined) delete process.env.PATH;
  else process.env.PATH = PATH;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('finds executable files in absolute folders of the PATH, in its order', async () => {
  process.env.PATH = `.::${folder}:/missing:${dirname(program)}`;
  expect(await findProgram('odd-acp')).toBe(program);
  expect(await findProgram('linked')).toBe(join(folder, 'linked'));
  for (const name of ['plain', 'folder', 'missing', '']) expect(await findProgram(name)).toBeUndefined();
  expect(await findProgram(program)).toBe(program);
  expect(await findProgram(join(folder, 'missing'))).toBeUndefined();
});

it('finds what is installed beside Node.js under the bare PATH of a service manager, as commands do', async () => {
  const environment = createCommandEnvironment([], {}, join(dirname(program), 'node'));
  expect(environment.PATH).toBe(`/usr/local/bin:/usr/bin:/bin:${dirname(program)}`);
  expect(await findProgram('odd-acp', environment)).toBe(program);
  const twice = createCommandEnvironment([], environment, join(dirname(program), 'node'));
  expect(twice.PATH).toBe(environment.PATH);
  process.env.PATH = '/opt/none';
  const options = { command: 'node', args: ['-p', '1 + 1'], cwd: folder, timeoutMs: 10_000 };
  expect(await executeCommand(options)).toMatchObject({ stdout: '2\n' });
});

it('says in the error where a command was searched for', async () => {
  process.env.PATH = `/opt/none:${dirname(process.execPath)}`;
  const run = (command: string) => executeCommand({ command, args: [], cwd: folder, timeoutMs: 10_000 });
  await expect(run('odd-acp')).rejects.toThrow(
    `The command "odd-acp" was not found. The device searched for it in ${process.env.PATH}.`,
  );
  await expect(run(join(folder, 'missing'))).rejects.toThrow(
    `/missing" was not found: this file or the interpreter of its first line is missing.`,
  );
});
