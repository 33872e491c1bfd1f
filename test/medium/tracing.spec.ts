import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DeviceSocket, echoRequest } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { findFreePort } from '../support/find-free-port';
import { MACHINE_CAPABILITIES } from '../support/relay-test-client';
import { BUILD_FOLDER } from '../support/ensure-service-built';
import { ServiceProcess } from '../support/service-process';
import { createMigratedFolder, createTempFolder } from '../support/temp-folder';
import { TraceCollector } from '../support/trace-collector';
import { waitFor } from '../support/wait-for';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const OPTIONS = { headers: { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` } };
const SDK = '@opentelemetry/sdk-trace';
const RATE_LIMITS = { RATE_LIMIT_METADATA: '1000000' };
/** The bundle, and the single files. */
const BUILDS = [
  { name: 'the bundle', build: undefined },
  { name: 'single files', build: BUILD_FOLDER },
];

describe('tracing of a process', () => {
  let service: ServiceProcess | undefined;
  let moduleList: string;
  const lines: any[] = [];

  const start = async (env: NodeJS.ProcessEnv, build?: string) => {
    moduleList = join(createTempFolder(), 'modules');
    const preload = join(__dirname, '..', 'support', 'write-module-list.cjs');
    const base = { DATA_DIR: createMigratedFolder(), NODE_OPTIONS: `--require=${preload}`, MODULE_LIST: moduleList };
    service = await ServiceProcess.start(
      { ...base, ...RATE_LIMITS, ...env },
      { onLine: (line) => lines.push(JSON.parse(line)), build },
    );
    return service;
  };

  afterEach(async () => {
    await service?.stop('SIGKILL');
    lines.length = 0;
  });

  it.each(BUILDS)('exports the last spans when the process of $name stops', async ({ build }) => {
    const traceCollector = await TraceCollector.start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: traceCollector.url, OTEL_SERVICE_NAME: 'api-test' };
    const { http } = await start(env, build);
    const ada = await ForeignAccountDevice.signUp(http);
    const { token } = await ada.createToken(['machines:read']);
    expectStatus(await http.get('/external/v1/me', token, OPTIONS), 200);
    expect(await service!.stop()).toMatchObject({ code: 0, stderr: '' });
    const [serverSpan] = traceCollector.filterByTrace(TRACE_ID).filter(({ name }) => name === 'GET /external/v1/me');
    expect(serverSpan).toMatchObject({ resource: { 'service.name': 'api-test' } });
    expect(readFileSync(moduleList, 'utf8')).toContain(SDK);
    await traceCollector.stop();
  });

  it('samples by the setting: none without a traceparent, those of sampled callers', async () => {
    const traceCollector = await TraceCollector.start();
    const { http } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: traceCollector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    const ada = await ForeignAccountDevice.signUp(http);
    const { token } = await ada.createToken(['machines:read']);
    expectStatus(await http.get('/external/v1/me', token), 200);
    expectStatus(await http.get('/external/v1/me', token, OPTIONS), 200);
    await service!.stop();
    const names = traceCollector.spans.filter(({ kind }) => kind === 2).map(({ traceId, name }) => [traceId, name]);
    expect(names).toEqual([[TRACE_ID, 'GET /external/v1/me']]);
    await traceCollector.stop();
  });

  it('serves calls and stops without waiting for a collector that does not answer', async () => {
    const exports: IncomingMessage[] = [];
    const collector = createServer((request) => exports.push(request)).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    // Whatever waits for an export waits for longer than this test may take.
    const endpoint = `http://127.0.0.1:${port}/otlp/`;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' };
    const { http } = await start(env);
    const ada = await ForeignAccountDevice.signUp(http);
    const { token } = await ada.createToken(['machines:read']);
    await waitFor(() => expect(exports).toHaveLength(1), 20_000);
    expect([exports[0]!.method, exports[0]!.url]).toEqual(['POST', '/otlp/v1/traces']);
    expect(exports[0]!.headers['content-type']).toBe('application/json');
    for (let n = 0; n < 20; n++) expectStatus(await http.get('/external/v1/me', token, OPTIONS), 200);
    expect(exports[0]!.socket.destroyed).toBe(false);
    expect(await service!.stop()).toMatchObject({ code: 0, stderr: '' });
    collector.close();
  });

  it('says once that a collector is away', async () => {
    const endpoint = `http://127.0.0.1:${await findFreePort()}`;
    const { http } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
    await ForeignAccountDevice.signUp(http);
    const warnings = () => lines.filter(({ msg }) => msg === 'span export failed');
    // The exporter repeats a batch until the timeout.
    await waitFor(() => expect(warnings()).not.toEqual([]), 60_000);
    // The spans of this call are exported in vain at the shutdown.
    await ForeignAccountDevice.signUp(http, 'grace');
    expect(await service!.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(warnings()).toEqual([expect.objectContaining({ level: 40, context: 'Tracing', spans: expect.any(Number) })]);
  });

  it.each(BUILDS)('is off by default in $name: loads no SDK, passes traceparent on to devices', async ({ build }) => {
    const { http, port } = await start({ METRICS_PORT: String(await findFreePort()) }, build);
    const ada = await ForeignAccountDevice.signUp(http);
    const { token } = await ada.createToken(['machines:invoke']);
    const device = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await http.post('/v1/machines', device.token, body), 201);
    const url = `http://127.0.0.1:${port}`;
    const socket = await DeviceSocket.connect(url, device.token, MACHINE_CAPABILITIES, echoRequest);
    const path = `/external/v1/machines/${data.id}/invoke`;
    expectStatus(await http.post(path, token, { command: 'true' }, OPTIONS), 200);
    expect(socket.requests[0].traceparent).toBe(OPTIONS.headers.traceparent);
    socket.close();
    expect(await service!.stop()).toMatchObject({ code: 0 });
    const logged = lines.find(({ msg, route }) => msg === 'request' && /\/invoke$/.test(route));
    expect(logged).toMatchObject({ traceId: TRACE_ID });
    expect(logged).not.toHaveProperty('spanId');
    const modules = readFileSync(moduleList, 'utf8');
    expect(modules).toContain('@electric-sql/pglite');
    expect(modules).not.toMatch(/@opentelemetry\/(?!api\/)|open-telemetry/);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization', 'must be a list of name=value, with a percent-encoded value'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '10', 'must be a number from 0 to 1'],
  ])('is not started with an invalid %s', async (name, value, message) => {
    const env = { DATA_DIR: createTempFolder(), [name]: value };
    const { code, stderr } = await ServiceProcess.runUntilExit(env);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${name} ${message}`) });
  });
});
