import { PassThrough } from 'node:stream';
import { runDeviceCli } from '../../clients/device/src/cli/run-device-cli';
import { Terminal } from '../../clients/device/src/cli/terminal';

export interface DeviceCliResult {
  code: number;
  out: string;
  err: string;
}

/** Runs `npm run device -- …` in the test's process, with one key file. */
export async function runDeviceProgram(url: string, keyFile: string, ...argv: string[]): Promise<DeviceCliResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const code = await runDeviceCli([...argv, '--url', url, '--key-file', keyFile], new Terminal(stdin, stdout, stderr));
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
