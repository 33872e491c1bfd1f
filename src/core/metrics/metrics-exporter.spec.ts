import { once } from 'node:events';
import { connect } from 'node:net';
import { Counter, Registry } from 'prom-client';
import { SERVICE_VERSION } from '../../common/version';
import type { Config } from '../config';
import { MetricsExporter } from './metrics-exporter';

describe('MetricsExporter', () => {
  let registry: Registry;
  let server: MetricsExporter;

  async function serve(metricsPort: number | null): Promise<void> {
    registry = new Registry();
    server = new MetricsExporter({ metricsPort, host: '127.0.0.1' } as Config, registry);
    await server.onApplicationBootstrap();
  }
  afterEach(() => server.onApplicationShutdown());

  function get(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${server.port}${path}`);
  }

  it("serves the process's own metrics and those that modules add", async () => {
    await serve(0);
    const counter = new Counter({ name: 'doors_opened_total', help: 'Doors opened', registers: [registry] });
    counter.inc(3);
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toBe(registry.contentType);
    const text = await response.text();
    expect(text).toContain('doors_opened_total 3');
    expect(text).toContain(`external_api_build_info{version="${SERVICE_VERSION}",node="${process.version}"} 1`);
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('serves nothing else', async () => {
    await serve(0);
    expect((await get('/')).status).toBe(404);
    expect((await get('/health/live')).status).toBe(404);
  });

  it('answers a failing metric by closing the connection, and lives on', async () => {
    await serve(0);
    let broken = true;
    new Counter({
      name: 'moody_total',
      help: 'Fails at first',
      registers: [registry],
      collect() {
        if (broken) throw new Error('not now');
      },
    });
    await expect(get('/metrics')).rejects.toThrow();
    broken = false;
    expect((await get('/metrics')).status).toBe(200);
  });

  it('listens to nothing without a port', async () => {
    await serve(null);
    expect(server.port).toBeUndefined();
  });

  it('refuses to start where its port is taken', async () => {
    await serve(0);
    const second = new MetricsExporter({ metricsPort: server.port!, host: '127.0.0.1' } as Config, new Registry());
    await expect(second.onApplicationBootstrap()).rejects.toThrow('EADDRINUSE');
  });

  it('closes its port when the application ends, idle connections included', async () => {
    await serve(0);
    await (await get('/metrics')).text();
    const url = `http://127.0.0.1:${server.port}/metrics`;
    await server.onApplicationShutdown();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('does not wait at the end for a client that sends nothing', async () => {
    await serve(0);
    const silent = connect(server.port!, '127.0.0.1');
    await once(silent, 'connect');
    const closed = once(silent, 'close');
    silent.on('error', () => undefined);
    await server.onApplicationShutdown();
    await closed;
  });
});
