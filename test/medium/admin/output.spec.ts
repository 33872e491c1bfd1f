import { spawnSync } from 'node:child_process';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { findSingleFile } from '../../support/program-files';
import { createScratchFolder } from '../../support/scratch-folder';

describe('the output of the admin program', () => {
  beforeAll(ensureServiceBuilt);

  /** Runs lines of bash in which `admin` is the program. */
  function runScript(...lines: string[]) {
    const program = `admin() { '${process.execPath}' '${findSingleFile('admin')}' "$@"; }`;
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-c', ['set -o pipefail', program, ...lines].join('\n')],
      {
        cwd: createScratchFolder(),
        env: { PATH: process.env.PATH },
        encoding: 'utf8',
      },
    );
    return { status, stdout, stderr };
  }

  it('reaches a reader that reads only when the command has done its work', () => {
    const { status, stdout } = runScript(
      // The pipe has no room for the line then. The remark comes after it.
      '{ head -c 65500 /dev/zero; admin push-keys 2>remark; } | {',
      '  for _ in {1..200}; do [ -s remark ] && break; sleep 0.1; done',
      '  sleep 1',
      "  tr -d '\\0'",
      '}',
    );
    expect(stdout).toMatch(/^PUSH_VAPID_PRIVATE_KEY=[\w-]{43}\n$/);
    expect(status).toBe(0);
  });

  it('may be cut by a reader that has read enough', () => {
    expect(runScript('admin --help | true')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('makes the command fail where it can not be written', () => {
    const stderr = "error: The output can't be written (ENOSPC).\n";
    expect(runScript('admin --help > /dev/full')).toEqual({ status: 1, stdout: '', stderr });
  });
});
