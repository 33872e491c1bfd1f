import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installClient, packClient } from '../../test/support/clients/client-package';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { measureCommandCpuMs } from '../support/command-cpu';

/** Start of the command line, which scripts pay for at each call. */
export const xapiStartRow: BenchmarkRow = {
  name: 'xapi-start',
  figure: 'CPU time of xapi --version, as installed',
  against: 'node -e 0',
  unit: 'ms',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const tarball = packClient('typescript');
      benchCleanup.add(createFolderCleanup(dirname(tarball)));
      const folder = installClient(tarball);
      benchCleanup.add(createFolderCleanup(folder));
      const xapi = join(folder, 'node_modules', '.bin', 'xapi');
      const measured = () => measureCommandCpuMs(xapi, '--version');
      const peer = () => measureCommandCpuMs(process.execPath, '-e', '0');
      await measured();
      await peer();
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

function createFolderCleanup(folder: string) {
  return { stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })) };
}
