import { createServer, type AddressInfo } from 'node:net';
import { createMigratedFolder, createTempFolder, removeTempFolders } from '../support/temp-folder';
import { ServiceProcess } from '../support/service-process';

describe('the configuration at start', () => {
  afterAll(removeTempFolders);

  it('is rejected with the name of every invalid variable, without values', async () => {
    const { code, stdout, stderr } = await ServiceProcess.runUntilExit({
      HOST: ' ',
      PORT: 'eighty',
      PUBLIC_URL: 'https://user:hunter2@example.org/path',
      DATABASE_URL: 'mysql://root:hunter2@localhost/x',
      REDIS_URL: 'http://:hunter2@localhost',
      APP_SECRET: 'hunter2',
      GRANT_KEYS: '["hunter2"]',
      SIGNUP: 'perhaps',
      RATE_LIMIT_METADATA: '-1',
      RATE_LIMIT_RELAY: 'many',
      RATE_LIMIT_ADDRESS: '0',
      TRUST_PROXY: 'my-proxy',
      LOG_LEVEL: 'loud',
      METRICS_PORT: '65536',
      WEBHOOK_ALLOW_HTTP: 'maybe',
      WEBHOOK_ALLOW_CIDRS: 'my-network',
      WEBHOOK_RETRY_SCHEDULE: 'often',
      WEBHOOK_TIMEOUT_SECONDS: 'never',
    });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const variables = stderr.match(/^ {2}[A-Z_]+/gm)!.map((line) => line.trim());
    expect([...new Set(variables)].sort()).toEqual([
      'APP_SECRET',
      'DATABASE_URL',
      'GRANT_KEYS',
      'HOST',
      'LOG_LEVEL',
      'METRICS_PORT',
      'PORT',
      'PUBLIC_URL',
      'RATE_LIMIT_ADDRESS',
      'RATE_LIMIT_METADATA',
      'RATE_LIMIT_RELAY',
      'REDIS_URL',
      'SIGNUP',
      'TRUST_PROXY',
      'WEBHOOK_ALLOW_CIDRS',
      'WEBHOOK_ALLOW_HTTP',
      'WEBHOOK_RETRY_SCHEDULE',
      'WEBHOOK_TIMEOUT_SECONDS',
    ]);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
  });

  it('reports missing variables', async () => {
    const { code, stderr } = await ServiceProcess.runUntilExit({ DATABASE_URL: 'postgres://localhost/x' });
    expect(code).toBe(1);
    expect(stderr).toContain('APP_SECRET is required');
    expect(stderr).toContain('GRANT_KEYS is required');
  });

  it.each(['PORT', 'METRICS_PORT'])('reports in one line that %s is in use', async (variable) => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await ServiceProcess.runUntilExit({
      DATA_DIR: createMigratedFolder(createTempFolder()),
      [variable]: port,
    });
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`EADDRINUSE`);
    expect(stderr).toContain(port);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
