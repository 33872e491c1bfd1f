import { randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually';
import { createDatabase, describeServices, environmentFor, type Database } from '../support/postgres';
import { RedisProcess } from '../support/redis-process';
import { ServiceProcess, type Ending } from '../support/service-process';
import { describeOwnPostgres, ThrowAwayPostgres } from '../support/throw-away-postgres';
import { spellings } from '../support/traces';
import { withPassword } from '../support/with-password';

const newSecret = () => `secret-${randomBytes(18).toString('base64url')}`;

function expectSilence({ stdout, stderr }: Ending, secret: string): void {
  for (const text of spellings(secret)) expect(stdout + stderr).not.toContain(text);
}

describeServices('what a service writes whose configuration is wrong', () => {
  let database: Database;
  let redis: RedisProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    database = await createDatabase();
    redis = await RedisProcess.start();
    await redis.protect(newSecret());
    env = { ...database.env, REDIS_URL: redis.url, LOG_LEVEL: 'trace' };
  });
  afterAll(async () => {
    await redis?.remove();
    await database?.drop();
  });

  it.each([
    ['DATABASE_URL whose host is away', { DATABASE_URL: 'postgres://ada:SECRET@127.0.0.1:1/test' }],
    ['DATABASE_URL whose host is unknown', { DATABASE_URL: 'postgres://ada:SECRET@nowhere.invalid/test' }],
    ['DATABASE_URL that is none', { DATABASE_URL: 'postgres://ada:SECRET@[/test' }],
    ['DATABASE_URL with a bad escape', { DATABASE_URL: 'postgres://ada:SECRET%zz@127.0.0.1:1/test' }],
    ['REDIS_URL that is none', { REDIS_URL: 'redis://:SECRET@[' }],
    ['REDIS_URL with a bad escape', { REDIS_URL: 'redis://:SECRET%zz@127.0.0.1' }],
    ['REDIS_URL of another kind', { REDIS_URL: 'https://:SECRET@127.0.0.1' }],
    ['APP_SECRET that is too short', { APP_SECRET: 'SECRET,x' }],
    ['GRANT_KEYS that are no JSON', { GRANT_KEYS: '[{"d":"SECRET' }],
    ['GRANT_KEYS that are no keys', { GRANT_KEYS: '[{"kty":"OKP","d":"SECRET"}]' }],
    ['PUBLIC_URL with a password', { PUBLIC_URL: 'https://ada:SECRET@example.org' }],
    ['all of them', { DATABASE_URL: 'SECRET', REDIS_URL: 'SECRET', GRANT_KEYS: 'SECRET', PORT: 'SECRET' }],
  ])('holds none of a %s', async (_, wrong) => {
    const value = newSecret();
    const changes = Object.entries(wrong).map(([name, text]) => [name, text.replace('SECRET', value)]);
    const ending = await ServiceProcess.run({ ...env, ...Object.fromEntries(changes) });
    expect(ending).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/(_URL|_SECRET|_KEYS) (must|cannot)/),
    });
    expect(ending.stderr).not.toContain('    at ');
    expectSilence(ending, value);
  });

  it('holds no password that Redis refuses', async () => {
    const wrong = newSecret();
    const launched = await ServiceProcess.launch({ ...env, REDIS_URL: withPassword(redis.url, '', wrong) });
    await eventually(async () => {
      expect((await launched.http.get('/health/ready')).status).toBe(503);
    }, 20_000);
    const ending = await launched.stop();
    expect(ending.stdout).toContain('WRONGPASS');
    expectSilence(ending, wrong);
  });
});

describeOwnPostgres('PostgreSQL that refuses a password', () => {
  let postgres: ThrowAwayPostgres;
  afterAll(() => postgres?.remove());

  it('leaves none in what the service says of it', async () => {
    postgres = await ThrowAwayPostgres.create();
    await postgres.protect(newSecret());
    const wrong = newSecret();
    const ending = await ServiceProcess.run(environmentFor(withPassword(postgres.url, 'postgres', wrong)));
    expect(ending).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('password authentication failed'),
    });
    expectSilence(ending, wrong);
  });
});
