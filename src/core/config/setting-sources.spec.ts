import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, findMisspeltSettings, loadConfig, SETTING_NAMES } from './load-config';
import { readSettingSources } from './setting-sources';

describe('settings from files', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'settings-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const writeSetting = (name: string, text: string | Buffer) => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  const collectErrors = (env: NodeJS.ProcessEnv): Record<string, string> => {
    try {
      loadConfig(env);
    } catch (error) {
      const entries = (error as ConfigError).variableErrors.map(({ variable, message }) => [variable, message]);
      return Object.fromEntries(entries) as Record<string, string>;
    }
    return {};
  };

  it.each(SETTING_NAMES)('can have %s in the file that the variable with _FILE names', (name) => {
    const env = { [`${name}_FILE`]: writeSetting(name, ` value of ${name}\n`) };
    expect(readSettingSources(SETTING_NAMES, env)).toEqual({ values: { [name]: ` value of ${name}` }, errors: [] });
  });

  it('drops line breaks at the end of the file, and no other characters', () => {
    const env = { REDIS_PASSWORD_FILE: writeSetting('password', '\n p\r\nq \r\n\n') };
    expect(readSettingSources(SETTING_NAMES, env).values).toEqual({ REDIS_PASSWORD: '\n p\r\nq ' });
  });

  it('take effect like variables', () => {
    const env = { DATA_DIR: dir, PORT_FILE: writeSetting('port', '4000\n'), SIGNUP_FILE: '' };
    expect(loadConfig(env)).toMatchObject({ port: 4000, publicUrl: 'http://localhost:4000', signup: 'open' });
  });

  it('report every fault at once, together with invalid variables, and show neither values nor paths', () => {
    mkdirSync(join(dir, 'folder'));
    const errors = collectErrors({
      DATABASE_URL: 'postgres://localhost/x',
      APP_SECRET: 'hunter2'.repeat(5),
      APP_SECRET_FILE: writeSetting('app-secret', 'hunter2'.repeat(5)),
      GRANT_KEYS_FILE: join(dir, 'hunter2'),
      REDIS_URL_FILE: join(dir, 'folder'),
      REDIS_PASSWORD_FILE: writeSetting('empty', '\n'),
      RATE_LIMIT_RELAY_FILE: writeSetting('relay', 'hunter2\n'),
      PUBLIC_URL_FILE: writeSetting('binary', Buffer.from([0x68, 0xff])),
      PORT: 'hunter2',
    });
    expect(errors).toEqual({
      APP_SECRET: 'must not be set together with APP_SECRET_FILE',
      GRANT_KEYS: 'cannot be read from the file in GRANT_KEYS_FILE: ENOENT',
      REDIS_URL: 'cannot be read from the file in REDIS_URL_FILE: EISDIR',
      REDIS_PASSWORD: 'has an empty file in REDIS_PASSWORD_FILE',
      PUBLIC_URL: 'cannot be read from the file in PUBLIC_URL_FILE: ERR_ENCODING_INVALID_ENCODED_DATA',
      RATE_LIMIT_RELAY: 'must be a whole number',
      PORT: 'must be a whole number',
    });
  });

  it('do not make settings invalid that need one whose file cannot be read', () => {
    const errors = collectErrors({ REDIS_URL: 'redis://localhost', DATABASE_URL_FILE: join(dir, 'missing') });
    expect(Object.keys(errors)).toEqual(['DATABASE_URL']);
  });
});

describe('findMisspeltSettings', () => {
  it.each([
    ['RATE_LIMT_RELAY', 'RATE_LIMIT_RELAY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['APP_SECRETS', 'APP_SECRET'],
    ['APP_SECRET_FILES', 'APP_SECRET_FILE'],
    ['PUBILC_URL', 'PUBLIC_URL'],
  ])('finds %s next to %s', (variable, nearest) => {
    expect(findMisspeltSettings({ [variable]: 'x' })).toEqual([{ variable, nearest }]);
  });

  it('ignores settings, empty variables, and variables of other programs', () => {
    const settings = Object.fromEntries(
      SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, 'x']),
    );
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'PORTS', 'LOGNAME', 'NODE_ENV', 'NODE_OPTIONS', 'SSH_AUTH_SOCK', 'XDG_DATA_DIRS'],
      ...['KUBERNETES_SERVICE_HOST', 'REDIS_PORT', 'REDIS_SERVICE_PORT', 'POSTGRES_PORT_5432_TCP', 'POSTGRES_PASSWORD'],
      ...['TEST_DATABASE_URL', 'DATABASE_HOST', 'PGHOST', 'http_proxy', 'npm_config_user_agent'],
    ];
    const env = { ...settings, ...Object.fromEntries(others.map((name) => [name, 'x'])), RATE_LIMT_RELAY: '' };
    expect(findMisspeltSettings(env)).toEqual([]);
  });
});
