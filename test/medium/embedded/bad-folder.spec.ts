import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migratedFolder, newFolder, removeFolders } from '../../support/data-folder';
import { ServiceProcess } from '../../support/service-process';

const NOBODY = 65_534;
/** Root writes where nobody may: the service is run as somebody else then. */
const uid = process.getuid!() === 0 ? NOBODY : undefined;

describe('a data folder that cannot be used', () => {
  afterAll(removeFolders);

  /** One line that names the variable, and no stack. */
  async function expectPlainRefusal(dataDir: string, reason: string, shell?: string): Promise<void> {
    const { code, stderr } = await ServiceProcess.run({ DATA_DIR: dataDir }, { uid, shell });
    expect(stderr).toContain('DATA_DIR');
    expect(stderr).toContain(dataDir);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  }

  it('is refused where it cannot be made', async () => {
    const parent = newFolder();
    chmodSync(parent, 0o555);
    await expectPlainRefusal(join(parent, 'data'), 'EACCES');
  });

  it('is refused where it cannot be written', async () => {
    const parent = newFolder();
    chmodSync(parent, 0o755);
    mkdirSync(join(parent, 'data'), { mode: 0o755 });
    chmodSync(join(parent, 'data'), 0o555);
    await expectPlainRefusal(join(parent, 'data'), 'EACCES');
  });

  it('is refused when it is a file', async () => {
    const parent = newFolder();
    chmodSync(parent, 0o755);
    writeFileSync(join(parent, 'data'), '');
    await expectPlainRefusal(join(parent, 'data'), 'ENOTDIR');
  });

  it('is refused when the database in it belongs to somebody else', async () => {
    if (uid === undefined) return;
    const parent = newFolder();
    chmodSync(parent, 0o777);
    const dataDir = migratedFolder(parent);
    chmodSync(dataDir, 0o777);
    chmodSync(join(dataDir, 'pg'), 0o700);
    await expectPlainRefusal(dataDir, 'cannot be opened');
  });

  it('is refused when there is no room for a database', async () => {
    const parent = newFolder();
    chmodSync(parent, 0o777);
    await expectPlainRefusal(join(parent, 'data'), 'room on its disk', `trap '' XFSZ; ulimit -f 8; exec "$@"`);
  });
});
