import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './load-config';

describe('loadConfig', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('needs nothing: the embedded default, open sign-up, a secret of its own', () => {
    const config = loadConfig({ DATA_DIR: dir });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      database: { kind: 'embedded', dataDir: dir },
      redisUrl: null,
      signup: 'open',
      rateLimits: { metadata: 600, relay: 60 },
      trustProxy: null,
    });
    expect(config.appSecrets[0].length).toBeGreaterThanOrEqual(32);
    expect(readdirSync(dir)).toEqual(['app-secret']);
    expect(statSync(join(dir, 'app-secret')).mode & 0o777).toBe(0o600);
    expect(loadConfig({ DATA_DIR: dir }).appSecrets).toEqual(config.appSecrets);
  });

  it('closes sign-up by default with DATABASE_URL', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://localhost/x',
      APP_SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}`,
      TRUST_PROXY: '10.0.0.0/8,127.0.0.1',
      PUBLIC_URL: 'https://api.example.org/',
    });
    expect(config.signup).toBe('closed');
    expect(config.appSecrets).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
    expect(config.trustProxy).toEqual(['10.0.0.0/8', '127.0.0.1']);
    expect(config.publicUrl).toBe('https://api.example.org');
  });

  it('takes an empty variable for one that is not set', () => {
    const env = { DATA_DIR: dir, DATABASE_URL: '', REDIS_URL: '', APP_SECRET: '', TRUST_PROXY: '', PORT: '' };
    expect(loadConfig(env)).toEqual(loadConfig({ DATA_DIR: dir }));
  });

  it('names every variable at fault at once and shows no value', () => {
    const attempt = () =>
      loadConfig({
        PORT: 'eighty',
        PUBLIC_URL: 'ftp://x',
        APP_SECRET: 'too-short-secret',
        SIGNUP: 'maybe',
        RATE_LIMIT_RELAY: '0',
      });
    expect(attempt).toThrow(ConfigError);
    try {
      attempt();
    } catch (error) {
      const faults = (error as ConfigError).faults.map((fault) => fault.variable).sort();
      expect(faults).toEqual(['APP_SECRET', 'PORT', 'PUBLIC_URL', 'RATE_LIMIT_RELAY', 'SIGNUP']);
      expect((error as ConfigError).message).not.toContain('too-short-secret');
    }
  });

  it.each([
    [{ REDIS_URL: 'redis://localhost' }, 'REDIS_URL'],
    [{ DATABASE_URL: 'postgres://localhost/x' }, 'APP_SECRET'],
    [{ DATABASE_URL: 'mysql://localhost/x', APP_SECRET: 'x'.repeat(32) }, 'DATABASE_URL'],
    [{ METRICS_PORT: '70000' }, 'METRICS_PORT'],
    [{ TRUST_PROXY: 'my-proxy' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: ',' }, 'TRUST_PROXY'],
    [{ PUBLIC_URL: 'https://api.example.org/base' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://api.example.org/?' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://user@api.example.org' }, 'PUBLIC_URL'],
    [{ APP_SECRET: `${'x'.repeat(32)},short` }, 'APP_SECRET'],
    [{ PORT: ' ' }, 'PORT'],
    [{ PORT: '0x50' }, 'PORT'],
    [{ RATE_LIMIT_RELAY: '1e3' }, 'RATE_LIMIT_RELAY'],
  ])('refuses %j', (env, variable) => {
    expect(() => loadConfig(env)).toThrow(variable);
  });

  it.each([
    ['1', 1],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback,uniquelocal', ['loopback', 'uniquelocal']],
  ])('takes TRUST_PROXY=%s', (value, trusted) => {
    expect(loadConfig({ DATA_DIR: dir, TRUST_PROXY: value }).trustProxy).toEqual(trusted);
  });
});
