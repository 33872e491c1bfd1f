import { chmodSync, chownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { CertificateAuthority, type CertificateFiles } from '../support/certificates';
import { describeWith } from '../support/dependencies';
import { expectStatus, ForeignAccountDevice } from '../support/device/foreign-device';
import { findFreePort } from '../support/find-free-port';
import { createTestDatabase, type TestDatabase } from '../support/postgres';
import { RedisProcess } from '../support/redis-process';
import { ServiceProcess } from '../support/service-process';
import { createTempFolder } from '../support/temp-folder';
import { findPostgresUser, isRoot, TemporaryPostgres } from '../support/temporary-postgres';
import { waitFor } from '../support/wait-for';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

/** Role that PostgreSQL accepts with a certificate only. */
const ROLE = 'api';

const describeRenewals = describeWith('pg_ctl', 'openssl');
describeRenewals('certificates of PostgreSQL and Redis that are renewed while an instance runs', () => {
  let folder: string;
  let authorities: [CertificateAuthority, CertificateAuthority];
  let postgresUser: [uid: number, gid: number];
  let postgres: TemporaryPostgres;
  let database: TestDatabase;
  let redisProcess: RedisProcess;
  let redis: Redis;
  let service: ServiceProcess;
  let token: string;
  const log: string[] = [];

  const file = (name: string) => join(folder, name);
  const listSessions = () => service.http.get('/external/v1/sessions', token);

  /** Replaces a file at once, as a tool that renews certificates does. */
  function writeFile(name: string, text: string): void {
    const temporary = file(`${name}.new`);
    writeFileSync(temporary, text, { mode: 0o600 });
    if (name.startsWith('postgres') && isRoot()) chownSync(temporary, ...postgresUser);
    renameSync(temporary, file(name));
  }

  function writePair(name: string, { cert, key }: CertificateFiles): void {
    writeFile(`${name}.crt`, cert);
    writeFile(`${name}.key`, key);
  }

  /** What each side accepts. */
  function writeAuthorities(...trusted: CertificateAuthority[]): void {
    const text = trusted.map(({ certificate }) => certificate).join('');
    writeFile('postgres-ca.crt', text);
    writeFile('client-ca.crt', text);
  }

  async function useRedisCertificate(): Promise<void> {
    writePair('redis', authorities[0].issueCertificate('redis'));
    const paths = ['tls-cert-file', file('redis.crt'), 'tls-key-file', file('redis.key')] as const;
    await redis.call('CONFIG', 'SET', ...paths, 'tls-ca-cert-file', file('redis-ca.crt'));
  }

  async function cutDatabaseConnections(): Promise<void> {
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ROLE}'`);
  }

  async function cutConnections(): Promise<void> {
    await cutDatabaseConnections();
    for (const type of ['normal', 'pubsub']) await redis.call('CLIENT', 'KILL', 'TYPE', type);
  }

  /** Returns the issuers of the certificates that the instance's connections to PostgreSQL have presented. */
  async function findIssuers(): Promise<string[]> {
    const rows = await database.query<{ issuer: string }>(
      `SELECT DISTINCT issuer_dn AS issuer FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE usename = '${ROLE}'`,
    );
    return rows.map(({ issuer }) => issuer);
  }

  async function expectAllReachable(): Promise<void> {
    const headers = { 'X-Require-Redis': 'true' };
    await waitFor(async () => {
      expectStatus(await service.http.get('/health/ready', undefined, { headers }), 200);
      expectStatus(await listSessions(), 200);
    }, 15_000);
    expect(service.isRunning).toBe(true);
  }

  beforeAll(async () => {
    folder = createTempFolder();
    chmodSync(folder, 0o755);
    authorities = [new CertificateAuthority(folder, 'first'), new CertificateAuthority(folder, 'second')];
    postgresUser = await findPostgresUser();
    writeAuthorities(authorities[0]);
    writePair('postgres', authorities[0].issueCertificate('postgres'));
    writePair('client', authorities[0].issueCertificate(ROLE));
    writeFile('postgres-hba.conf', `hostssl all ${ROLE} all cert\nhost all postgres all trust\n`);
    const [cert, key, ca] = ['crt', 'key'].map((end) => file(`postgres.${end}`)).concat(file('postgres-ca.crt'));
    const files = [`ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `ssl_ca_file=${ca}`];
    const settings = ['ssl=on', ...files, `hba_file=${file('postgres-hba.conf')}`];
    postgres = await TemporaryPostgres.createCluster({ settings });
    database = await createTestDatabase(postgres.url);
    await database.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN`);

    redisProcess = await RedisProcess.start();
    redis = new Redis(redisProcess.url);
    writeFile('redis-ca.crt', authorities[0].certificate);
    await useRedisCertificate();
    const tlsPort = await findFreePort();
    await redis.call('CONFIG', 'SET', 'tls-auth-clients', 'no', 'tls-port', String(tlsPort));

    const url = new URL(database.url);
    url.username = ROLE;
    const tls = { sslmode: 'verify-full', sslrootcert: 'client-ca.crt', sslcert: 'client.crt', sslkey: 'client.key' };
    for (const [name, value] of Object.entries(tls))
      url.searchParams.set(name, value.includes('.') ? file(value) : value);
    const env = {
      ...database.env,
      DATABASE_URL: url.href,
      DATABASE_POOL_SIZE: '3',
      REDIS_URL: `rediss://127.0.0.1:${tlsPort}`,
      NODE_EXTRA_CA_CERTS: file('redis-ca.crt'),
      RATE_LIMIT_METADATA: '1000000',
    };
    service = await ServiceProcess.start(env, { onLine: (line) => void log.push(line) });
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
  }, 120_000);
  afterAll(async () => {
    await service?.stop('SIGKILL');
    redis?.disconnect();
    await redisProcess?.removeProcess();
    await postgres?.removeCluster();
  });

  it('are used by new connections, and requests go on', async () => {
    expect(await findIssuers()).toEqual(['/CN=first']);
    const traffic = new TrafficGenerator(listSessions, 3);
    // First, each side accepts both authorities. Then their certificates can change, in any order.
    writeAuthorities(...authorities);
    writePair('postgres', authorities[1].issueCertificate('postgres'));
    await database.query('SELECT pg_reload_conf()');
    writePair('client', authorities[1].issueCertificate(ROLE));
    await useRedisCertificate();
    await expectAllReachable();
    expect(Object.keys(countStatuses(traffic.calls))).toEqual(['200']);

    await cutConnections();
    await expectAllReachable();
    // The old authority is needed by nobody any more.
    writeAuthorities(authorities[1]);
    await database.query('SELECT pg_reload_conf()');
    await cutConnections();
    await expectAllReachable();
    const renewed = traffic.calls.length;
    await traffic.waitForCalls(20);
    const calls = await traffic.stopCallers();
    expect(countStatuses(calls.slice(renewed))).toEqual({ 200: calls.length - renewed });
    // Only calls whose statement was running on a connection that was cut.
    expect(Object.keys(countStatuses(calls)).filter((status) => !['200', '503'].includes(status))).toEqual([]);
    expect(await findIssuers()).toEqual(['/CN=second']);
    expect(log.filter((line) => /certificate/i.test(line))).toEqual([]);
  }, 60_000);

  const removeFile = (name: string) => rmSync(file(name));
  /** Leaves what a tool has written when it replaces the content in place. */
  const truncateFile = (name: string) => {
    const text = readFileSync(file(name), 'utf8');
    writeFile(name, text.slice(0, text.length / 2));
  };
  const replaceKey = (name: string) => writeFile(name, authorities[1].issueCertificate(ROLE).key);

  it.each([
    ['the key is missing', 'client.key', removeFile, 'ENOENT'],
    ['the certificate is half written', 'client.crt', truncateFile, 'PEM'],
    ['the key is half written', 'client.key', truncateFile, 'PEM|DECODER'],
    ['the key does not fit the certificate', 'client.key', replaceKey, 'key values mismatch'],
    ['the authority is missing', 'client-ca.crt', removeFile, 'ENOENT'],
    ['the authority is half written', 'client-ca.crt', truncateFile, 'certificate'],
  ])(
    'answer 503 to calls that need a new connection while %s',
    async (_state, name, breakFile, reason) => {
      const text = readFileSync(file(name), 'utf8');
      const logged = log.length;
      // More callers than connections: some wait for a connection of the pool.
      const traffic = new TrafficGenerator(listSessions, 6);
      try {
        breakFile(name);
        await waitFor(async () => {
          // One that had read the files before and was just connecting isn't cut the first time.
          await cutDatabaseConnections();
          expect(countStatuses(traffic.calls)[503]).toBeGreaterThan(20);
          expectStatus(await service.http.get('/health/ready'), 503);
        }, 10_000);
        expectStatus(await service.http.get('/health/live'), 200);
      } finally {
        writeFile(name, text);
      }
      await expectAllReachable();
      const calls = await traffic.stopCallers();
      expect(Object.keys(countStatuses(calls)).filter((status) => !['200', '503'].includes(status))).toEqual([]);
      const refusals = calls.flatMap(({ answer }) => (answer?.status === 503 ? answer.body : []));
      expect(new Set(refusals.map(({ code }) => code as string))).toEqual(new Set(['service_unavailable']));
      const lines = log.slice(logged);
      expect(lines.filter((line) => line.includes('unexpected error'))).toEqual([]);
      const [line] = lines.filter((each) => each.includes('database unavailable') && new RegExp(reason).test(each));
      expect(line).toBeDefined();
      expect(lines.filter((each) => /BEGIN|PRIVATE|MII/.test(each))).toEqual([]);
    },
    60_000,
  );
});
