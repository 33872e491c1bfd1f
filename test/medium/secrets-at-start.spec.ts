import { randomBytes } from 'node:crypto';
import { ConfigError, loadConfig } from '../../src/core/config';
import { describeWith } from '../support/dependencies';
import { waitFor } from '../support/wait-for';
import { createTestDatabase, createDatabaseEnvironment, type TestDatabase } from '../support/postgres';
import { RedisProcess } from '../support/redis-process';
import { ServiceProcess, type ProcessExit } from '../support/service-process';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { listEncodings } from '../support/storage-dumps';
import { setUrlCredentials } from '../support/with-password';

const newSecret = () => `secret-${randomBytes(18).toString('base64url')}`;

function expectNoSecret({ stdout, stderr }: ProcessExit, secret: string): void {
  for (const text of listEncodings(secret)) expect(stdout + stderr).not.toContain(text);
}

/** Replaces SECRET in the values. */
function fillIn(wrong: object, secret: string): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(wrong).map(([name, text]) => [name, String(text).replace('SECRET', secret)]),
  );
}

function catchConfigError(env: NodeJS.ProcessEnv): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The configuration is valid.');
}

describe('the error of an invalid configuration', () => {
  const env = { ...createDatabaseEnvironment('postgres://127.0.0.1/test'), REDIS_URL: 'redis://127.0.0.1' };

  it.each([
    ['DATABASE_URL that is none', { DATABASE_URL: 'postgres://ada:SECRET@[/test' }],
    ['DATABASE_URL with a bad escape', { DATABASE_URL: 'postgres://ada:SECRET%zz@127.0.0.1:1/test' }],
    ['REDIS_URL that is none', { REDIS_URL: 'redis://:SECRET@[' }],
    ['REDIS_URL with a bad escape', { REDIS_URL: 'redis://:SECRET%zz@127.0.0.1' }],
    ['REDIS_URL of another kind', { REDIS_URL: 'https://:SECRET@127.0.0.1' }],
    ['APP_SECRET that is too short', { APP_SECRET: 'SECRET,x' }],
    ['GRANT_KEYS that are no JSON', { GRANT_KEYS: '[{"d":"SECRET' }],
    ['GRANT_KEYS that are no keys', { GRANT_KEYS: '[{"kty":"OKP","d":"SECRET"}]' }],
    ['PUBLIC_URL with a password', { PUBLIC_URL: 'https://ada:SECRET@example.org' }],
  ])('contains no value of a %s', (_, wrong) => {
    const value = newSecret();
    const { message } = catchConfigError({ ...env, ...fillIn(wrong, value) });
    expect(message).toMatch(/(_URL|_SECRET|_KEYS) must/);
    for (const text of listEncodings(value)) expect(message).not.toContain(text);
  });
});

describeWith('PostgreSQL', 'redis-server')('the output of a service with an invalid configuration', () => {
  let testDatabase: TestDatabase;
  let redis: RedisProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    redis = await RedisProcess.start();
    await redis.requirePassword(newSecret());
    env = { ...testDatabase.env, REDIS_URL: redis.url, LOG_LEVEL: 'trace' };
  });
  afterAll(async () => {
    await redis?.removeProcess();
    await testDatabase?.dropDatabase();
  });

  it.each([
    ['DATABASE_URL whose host is away', { DATABASE_URL: 'postgres://ada:SECRET@127.0.0.1:1/test' }],
    ['DATABASE_URL whose host is unknown', { DATABASE_URL: 'postgres://ada:SECRET@nowhere.invalid/test' }],
    // The process prints the error that loadConfig throws.
    ['several variables', { DATABASE_URL: 'SECRET', REDIS_URL: 'SECRET', GRANT_KEYS: 'SECRET', PORT: 'SECRET' }],
  ])('contains no value of a %s', async (_, wrong) => {
    const value = newSecret();
    const processExit = await ServiceProcess.runUntilExit({ ...env, ...fillIn(wrong, value) });
    expect(processExit).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/(_URL|_SECRET|_KEYS) (must|cannot)/),
    });
    expect(processExit.stderr).not.toContain('    at ');
    expectNoSecret(processExit, value);
  });

  it('contains no password that Redis rejects', async () => {
    const wrong = newSecret();
    const launched = await ServiceProcess.launchProcess({
      ...env,
      REDIS_URL: setUrlCredentials(redis.url, '', wrong),
    });
    await waitFor(async () => {
      expect((await launched.http.get('/health/ready')).body.details.redis).toEqual({ status: 'down' });
    }, 20_000);
    const processExit = await launched.stop();
    expect(processExit.stdout).toContain('WRONGPASS');
    expectNoSecret(processExit, wrong);
  });
});

describeWith('pg_ctl')('PostgreSQL that rejects a password', () => {
  let postgres: TemporaryPostgres;
  afterAll(() => postgres?.removeCluster());

  it('doesn’t leak the password in the service’s output', async () => {
    postgres = await TemporaryPostgres.createCluster();
    await postgres.requirePassword(newSecret());
    const wrong = newSecret();
    const processExit = await ServiceProcess.runUntilExit(
      createDatabaseEnvironment(setUrlCredentials(postgres.url, 'postgres', wrong)),
    );
    expect(processExit).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('password authentication failed'),
    });
    expectNoSecret(processExit, wrong);
  });
});
