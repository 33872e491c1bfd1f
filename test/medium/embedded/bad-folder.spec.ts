import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMigratedFolder, createTempFolder } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';

const NOBODY = 65_534;
/** Root can write everywhere, so the service runs as another user then. */
const uid = process.getuid!() === 0 ? NOBODY : undefined;

describe('a data folder that cannot be used', () => {
  /** Expects one line that names the variable, without a stack trace. */
  async function expectPlainRefusal(dataDir: string, reason: string, shell?: string): Promise<void> {
    const { code, stderr } = await ServiceProcess.runUntilExit({ DATA_DIR: dataDir }, { uid, shell });
    expect(stderr).toContain('DATA_DIR');
    expect(stderr).toContain(dataDir);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  }

  it('is rejected if it can’t be created', async () => {
    const parent = createTempFolder();
    chmodSync(parent, 0o555);
    await expectPlainRefusal(join(parent, 'data'), 'EACCES');
  });

  it('is rejected if it isn’t writable', async () => {
    const parent = createTempFolder();
    chmodSync(parent, 0o755);
    mkdirSync(join(parent, 'data'), { mode: 0o755 });
    chmodSync(join(parent, 'data'), 0o555);
    await expectPlainRefusal(join(parent, 'data'), 'EACCES');
  });

  it('is rejected if it is a file', async () => {
    const parent = createTempFolder();
    chmodSync(parent, 0o755);
    writeFileSync(join(parent, 'data'), '');
    await expectPlainRefusal(join(parent, 'data'), 'ENOTDIR');
  });

  it('is rejected if its database belongs to another user', async () => {
    if (uid === undefined) return;
    const parent = createTempFolder();
    chmodSync(parent, 0o777);
    const dataDir = createMigratedFolder(parent);
    chmodSync(dataDir, 0o777);
    chmodSync(join(dataDir, 'pg'), 0o700);
    await expectPlainRefusal(dataDir, 'cannot be opened');
  });

  it('is rejected without space for a database', async () => {
    const parent = createTempFolder();
    chmodSync(parent, 0o777);
    await expectPlainRefusal(join(parent, 'data'), 'its disk has free space', `trap '' XFSZ; ulimit -f 8; exec "$@"`);
  });
});
