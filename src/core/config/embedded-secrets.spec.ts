import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateAppSecrets } from './embedded-secrets';
import { ConfigError, loadConfig } from './load-config';

describe('the secret of the embedded default', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'secret-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once and read ever after', () => {
    const secrets = readOrCreateAppSecrets(dir);
    expect(secrets).toHaveLength(1);
    expect(readOrCreateAppSecrets(dir)).toEqual(secrets);
    expect(readdirSync(dir)).toEqual(['app-secret']);
  });

  it('differs from folder to folder', () => {
    expect(readOrCreateAppSecrets(join(dir, 'a'))).not.toEqual(readOrCreateAppSecrets(join(dir, 'b')));
  });

  it('is not made where the operator gives one', () => {
    const given = 'x'.repeat(32);
    expect(loadConfig({ DATA_DIR: dir, APP_SECRET: given }).appSecrets).toEqual([given]);
    expect(readdirSync(dir)).toEqual(['grant-keys']);
  });

  it('is a list where the operator rotates it in its file', () => {
    const [newest, old] = ['n'.repeat(32), 'o'.repeat(32)];
    writeFileSync(join(dir, 'app-secret'), `${newest},${old}\n`);
    expect(loadConfig({ DATA_DIR: dir }).appSecrets).toEqual([newest, old]);
  });

  it.each(['', '\n', 'too short\n', `${'x'.repeat(32)},too short\n`])('is refused when its file holds %j', (text) => {
    writeFileSync(join(dir, 'app-secret'), text);
    expect(() => loadConfig({ DATA_DIR: dir })).toThrow(ConfigError);
    expect(() => loadConfig({ DATA_DIR: dir })).toThrow('DATA_DIR');
  });

  it('names DATA_DIR where the folder cannot be used', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => loadConfig({ DATA_DIR: join(dir, 'file') })).toThrow(/DATA_DIR cannot be used.*ENOTDIR/);
  });
});
