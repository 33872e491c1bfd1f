import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceProcess } from '../support/service-process';
import { createMigratedFolder, createTempFolder } from '../support/temp-folder';

const FAILING_SERVER = `
require('node:http').createServer = () => { throw new Error('no server today'); };
`;

describe('a stack trace of the service', () => {
  it('names the files of src/ and their lines', async () => {
    const preload = join(createTempFolder(), 'failing-server.cjs');
    writeFileSync(preload, FAILING_SERVER);
    const { code, stderr } = await ServiceProcess.runUntilExit(
      { DATA_DIR: createMigratedFolder(), PRELOAD: preload },
      { shell: 'exec "$1" --require "$PRELOAD" "$2"' },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('no server today');
    expect(stderr).toMatch(/\/src\/common\/http\/server\/[a-z-]+\.ts:\d+:\d+/);
    expect(stderr).not.toMatch(/\/dist\/src\/common\//);
  });
});
