import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportResult } from './runner.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'runner-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('writes the output of the command to a file that only the user of the runner can read', async () => {
  const outputFile = join(folder, 'outputs');
  const before = process.env;
  process.env = { ...before, RUNNER_TEMP: folder, GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: '' };
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const result = { status: 'completed', isSuccess: true, exitCode: 0, sessionId: null, turnId: null };
  await reportResult({ ...result, output: Buffer.from('secret'), errorOutput: '' }).finally(() => {
    process.env = before;
    write.mockRestore();
  });
  const [, path] = /^stdout-file<<\S+\n(.*)\n/m.exec(readFileSync(outputFile, 'utf8'))!;
  expect([readFileSync(path!, 'utf8'), statSync(path!).mode & 0o777]).toEqual(['secret', 0o600]);
});
