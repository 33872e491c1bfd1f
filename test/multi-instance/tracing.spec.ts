import { randomBytes } from 'node:crypto';
import { expectStatus } from '../support/device/foreign-device';
import { TraceCollector, type CollectedSpan } from '../support/trace-collector';
import { waitFor } from '../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber } from '../support/webhooks/webhook-fixture';
import { respondWithStatus, WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';

const PARENT_SPAN_ID = 'b7ad6b7169203331';
const [INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER] = [1, 2, 3, 4, 5];
const ERROR_STATUS = 2;
const INVOKE_SPAN = 'POST /external/v1/machines/:id/invoke';

describe('spans of two instances', () => {
  let traceCollector: TraceCollector;
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    traceCollector = await TraceCollector.start();
    cluster = await Cluster.start({
      instances: 2,
      env: {
        ...LOOPBACK_WEBHOOKS_ENV,
        OTEL_EXPORTER_OTLP_ENDPOINT: traceCollector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ada%20l',
        WEBHOOK_RETRY_SCHEDULE: '0,1',
      },
    });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterAll(async () => {
    clusterFixture?.close();
    await cluster?.stop();
    await traceCollector?.stop();
  });

  const createTrace = (flags = '01') => {
    const traceId = randomBytes(16).toString('hex');
    return { traceId, options: { headers: { traceparent: `00-${traceId}-${PARENT_SPAN_ID}-${flags}` } } };
  };
  const formatTraceparent = ({ traceId, spanId }: CollectedSpan) => `00-${traceId}-${spanId}-01`;

  it('are one trace, from the caller over origin, bus and owner to the device', async () => {
    const [origin, owner] = [cluster.getInstance(0), cluster.getInstance(1)];
    const machine = await clusterFixture.createMachine(owner);
    const { traceId, options } = createTrace();
    const httpResponse = await clusterFixture.invokeMachine(machine.id, { command: 'cat' }, options, origin.http);
    expectStatus(httpResponse, 200);

    const serverSpan = await traceCollector.waitForSpan(traceId, INVOKE_SPAN);
    const originSpan = await traceCollector.waitForSpan(traceId, 'relay.origin');
    const busSpan = await traceCollector.waitForSpan(traceId, 'relay.bus');
    const ownerSpan = await traceCollector.waitForSpan(traceId, 'relay.owner');
    const deviceSpan = await traceCollector.waitForSpan(traceId, 'relay.device');
    const chain = [serverSpan, originSpan, busSpan, ownerSpan, deviceSpan];
    expect(chain.map(({ parentSpanId }) => parentSpanId)).toEqual([
      PARENT_SPAN_ID,
      ...chain.slice(0, -1).map(({ spanId }) => spanId),
    ]);
    expect(chain.map(({ kind }) => kind)).toEqual([SERVER, INTERNAL, PRODUCER, CONSUMER, CLIENT]);
    expect(machine.socket.requests[0].traceparent).toBe(formatTraceparent(deviceSpan));
    expect(serverSpan.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/external/v1/machines/:id/invoke',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'external_api.request_id': httpResponse.body.requestId,
    });
    expect(deviceSpan.attributes).toEqual({
      'relay.method': 'machine.invoke',
      'relay.outcome': 'answered',
      'network.protocol.name': 'websocket',
      'external_api.request_id': httpResponse.body.requestId,
      'external_api.device_id': machine.device.id,
    });
    expect(serverSpan.resource).toMatchObject({ 'service.name': 'external-api' });
    const instanceIds = chain.map(({ resource }) => resource['service.instance.id']);
    expect(new Set(instanceIds.slice(0, 3)).size).toBe(1);
    expect(new Set(instanceIds.slice(3)).size).toBe(1);
    expect(instanceIds[0]).not.toBe(instanceIds[4]);

    const findRequestLine = () =>
      origin.log.find(
        ({ msg, requestId }) => msg === 'request' && requestId === originSpan.attributes['external_api.request_id'],
      );
    await waitFor(() => expect(findRequestLine()).toMatchObject({ traceId, spanId: serverSpan.spanId }));
    expect(traceCollector.requestHeaders[0]).toMatchObject({ 'x-tenant': 'ada l' });
  });

  it('contain statements and commands below the request or stage that sent them', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(1));
    const { traceId, options } = createTrace();
    await clusterFixture.invokeMachine(machine.id, {}, options, cluster.getInstance(0).http);
    const serverSpan = await traceCollector.waitForSpan(traceId, INVOKE_SPAN);
    const busSpan = await traceCollector.waitForSpan(traceId, 'relay.bus');

    const trace = traceCollector.filterByTrace(traceId);
    const redisSpans = trace.filter(({ attributes }) => attributes['db.system.name'] === 'redis');
    // The bus looks the device's instance up, and sends the call to it.
    expect(redisSpans.map(({ parentSpanId }) => parentSpanId).sort()).toEqual(
      [serverSpan.spanId, busSpan.spanId, busSpan.spanId].sort(),
    );
    expect(redisSpans[0]).toMatchObject({
      kind: CLIENT,
      attributes: { 'db.operation.name': expect.stringMatching(/^EVAL(SHA)?$/) },
    });
    const statementSpan = trace.find(({ name }) => name === 'SELECT machines');
    expect(statementSpan).toMatchObject({ kind: CLIENT, parentSpanId: serverSpan.spanId });
    expect(statementSpan!.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'machines',
      'db.query.summary': 'SELECT machines',
    });
  });

  it('attribute commands of concurrent requests, which share a pipeline, to their own request', async () => {
    const traces = Array.from({ length: 20 }, () => createTrace());
    const { http } = cluster.getInstance(0);
    await Promise.all(traces.map(({ options }) => http.get('/external/v1/me', clusterFixture.token, options)));
    for (const { traceId } of traces) {
      const serverSpan = await traceCollector.waitForSpan(traceId, 'GET /external/v1/me');
      const redisSpans = traceCollector
        .filterByTrace(traceId)
        .filter(({ attributes }) => attributes['db.system.name'] === 'redis');
      // The call consumes one bucket, and reads the other one for its response.
      expect(redisSpans.map(({ parentSpanId }) => parentSpanId)).toEqual([serverSpan.spanId, serverSpan.spanId]);
    }
  });

  it('have the error code of a call without a device', async () => {
    const { id } = await clusterFixture.createOfflineMachine();
    const { traceId, options } = createTrace();
    expectStatus(await clusterFixture.invokeMachine(id, {}, options), 503);
    const serverSpan = await traceCollector.waitForSpan(traceId, INVOKE_SPAN);
    const originSpan = await traceCollector.waitForSpan(traceId, 'relay.origin');
    for (const { status, attributes } of [serverSpan, originSpan]) {
      expect(status).toEqual({ code: ERROR_STATUS, message: 'no_online_device' });
      expect(attributes).toMatchObject({ 'error.type': 'no_online_device' });
    }
    expect(originSpan.attributes).toMatchObject({ 'relay.outcome': 'not_delivered' });
  });

  it('are not exported if the caller’s traceparent is not sampled, which the device learns', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(1));
    const { traceId, options } = createTrace('00');
    const { http } = cluster.getInstance(0);
    expectStatus(await clusterFixture.invokeMachine(machine.id, {}, options, http), 200);
    expect(machine.socket.requests[0].traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    const later = createTrace();
    await clusterFixture.invokeMachine(machine.id, {}, later.options, http);
    await traceCollector.waitForSpan(later.traceId, INVOKE_SPAN);
    await traceCollector.waitForSpan(later.traceId, 'relay.device');
    expect(traceCollector.filterByTrace(traceId)).toEqual([]);
  });

  it('continue at the receiver of a webhook, with a span for each attempt', async () => {
    const webhookReceiver = await WebhookReceiver.start((request, response, n) =>
      respondWithStatus(n === 1 ? 500 : 204)(request, response, n),
    );
    const ada = await Subscriber.signUp(cluster.http);
    await ada.createWebhook(`${webhookReceiver.url}?key=in-the-url`, ['session.created']);
    const { traceId, options } = createTrace();
    const { kid, sealed } = ada.device.createDataKey();
    const body = { tag: kid, dataKey: { kid, sealed } };
    expectStatus(await cluster.http.post('/v1/sessions', ada.device.token, body, options), 201);
    const received = await webhookReceiver.waitForRequests(2);
    const attempts = await traceCollector.waitForSpans(traceId, 'webhook.attempt', 2);
    await webhookReceiver.stop();

    expect(received.map(({ headers }) => headers.traceparent)).toEqual(attempts.map(formatTraceparent));
    const serverSpan = await traceCollector.waitForSpan(traceId, 'POST /v1/sessions');
    expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual([serverSpan.spanId, serverSpan.spanId]);
    expect(attempts.map(({ attributes }) => attributes)).toEqual(
      [500, 204].map((status, n) => ({
        'http.request.method': 'POST',
        'http.request.resend_count': n,
        'http.response.status_code': status,
        'server.address': '127.0.0.1',
        'server.port': Number(received[0]!.headers.host!.split(':')[1]),
        'external_api.event_type': 'session.created',
        ...(status === 500 && { 'error.type': '500' }),
      })),
    );
  });

  it('contain no token, content, command or URL of a webhook', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(1));
    const { traceId, options } = createTrace();
    const command = 'print-the-marker';
    await clusterFixture.invokeMachine(machine.id, { command }, options, cluster.getInstance(0).http);
    await traceCollector.waitForSpan(traceId, INVOKE_SPAN);
    await traceCollector.waitForSpan(traceId, 'relay.device');
    const everything = traceCollector.bodies.join('\n');
    for (const secret of [command, clusterFixture.token, machine.device.token, 'in-the-url', '/hook']) {
      expect(everything).not.toContain(secret);
    }
  });

  it('are counted, and none is lost', async () => {
    await waitFor(async () => {
      for (const instance of cluster.instances) {
        const ended = await instance.sumMetric('trace_spans_total');
        expect(ended).toBeGreaterThan(0);
        expect(await instance.sumMetric('trace_exported_spans_total')).toBe(ended);
      }
    }, 10_000);
  });
});
