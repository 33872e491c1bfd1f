import { loadConfig } from '../../../src/core/config';
import { runAdminJson, runAdminProgram } from '../../support/admin-cli';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { createScratchFolder } from '../../support/scratch-folder';

describe('the admin command push-keys', () => {
  beforeAll(ensureServiceBuilt);

  it('prints a setting that turns notifications on, another one each time, without a database', async () => {
    const { code, stdout, stderr } = await runAdminProgram({}, 'push-keys');
    expect(code).toBe(0);
    expect(stderr).toContain('PUSH_VAPID_SUBJECT');
    const [name, key] = stdout.trim().split('=') as [string, string];
    const env = { DATA_DIR: createScratchFolder(), PUSH_VAPID_SUBJECT: 'mailto:operator@example.com' };
    expect(loadConfig({ ...env, [name]: key }).push?.publicKey).toMatch(/^B[A-Za-z0-9_-]{86}$/);
    const { privateKey } = await runAdminJson({}, 'push-keys', '--json');
    expect(privateKey).not.toBe(key);
    expect(loadConfig({ ...env, PUSH_VAPID_PRIVATE_KEY: privateKey }).push).not.toBeNull();
  });
});
