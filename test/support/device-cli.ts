import { PassThrough } from 'node:stream';
import { runCli } from '../../src/reference-device/cli/run-cli';
import { Terminal } from '../../src/reference-device/cli/terminal';

export interface CliAnswer {
  code: number;
  out: string;
  err: string;
}

/** `npm run device -- …` in the test's own process, with one key file. */
export async function deviceCli(url: string, keyFile: string, ...argv: string[]): Promise<CliAnswer> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const code = await runCli([...argv, '--url', url, '--key-file', keyFile], new Terminal(stdin, stdout, stderr));
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
