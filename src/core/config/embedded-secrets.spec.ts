import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateAppSecret } from './embedded-secrets';
import { ConfigError, loadConfig } from './load-config';

describe('the secret of the embedded default', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'secret-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once and read ever after', () => {
    const secret = readOrCreateAppSecret(dir);
    expect(readOrCreateAppSecret(dir)).toBe(secret);
    expect(readdirSync(dir)).toEqual(['app-secret']);
  });

  it('differs from folder to folder', () => {
    expect(readOrCreateAppSecret(join(dir, 'a'))).not.toBe(readOrCreateAppSecret(join(dir, 'b')));
  });

  it('is not made where the operator gives one', () => {
    const given = 'x'.repeat(32);
    expect(loadConfig({ DATA_DIR: dir, APP_SECRET: given }).appSecrets).toEqual([given]);
    expect(readdirSync(dir)).toEqual(['grant-keys']);
  });

  it.each(['', '\n', 'too short\n'])('is refused when its file holds %j', (text) => {
    writeFileSync(join(dir, 'app-secret'), text);
    expect(() => loadConfig({ DATA_DIR: dir })).toThrow(ConfigError);
    expect(() => loadConfig({ DATA_DIR: dir })).toThrow('DATA_DIR');
  });

  it('names DATA_DIR where the folder cannot be used', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => loadConfig({ DATA_DIR: join(dir, 'file') })).toThrow(/DATA_DIR cannot be used.*ENOTDIR/);
  });
});
