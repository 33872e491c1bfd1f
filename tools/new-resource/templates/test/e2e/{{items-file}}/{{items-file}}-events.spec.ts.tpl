{{#event}}
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const DEVICE_PATH = '/v1/{{items-file}}';
{{#write}}
const PATH = '/external/v1/{{items-file}}';
{{/write}}
const TYPES = ['{{item_name}}.created', {{#write}}'{{item_name}}.updated', {{/write}}'{{item_name}}.deleted'];

describe('events of {{items words}}', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;

  beforeAll(async () => {
    fixture = await WebhookFixture.start();
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(fixture.service.http, ['webhooks:manage', '{{scope}}'{{#write}}, '{{write scope}}'{{/write}}]);
  });
  afterEach(() => webhookReceiver.stop());
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const create = async (name = 'first', by = ada) =>
    expectStatus(await http().post(DEVICE_PATH, by.device.token, { name }), 201).data;
  const waitForEvent = async (type: string) =>
    waitFor(() => {
      const [received] = webhookReceiver.filterByType(type);
      expect(received).toBeDefined();
      return received!.payload.data;
    }, 10_000);

  it('are delivered with the record, and after its deletion with the last state', async () => {
    await ada.createWebhook(webhookReceiver.url, TYPES);
    {{#write}}let{{/write}}{{^write}}const{{/write}} record = await create();
    expect(await waitForEvent('{{item_name}}.created')).toEqual(record);
{{#write}}
    const change = { token: ada.token, json: { name: 'changed' } };
    record = expectStatus(await http().request('PATCH', `${PATH}/${record.id}`, change), 200).data;
    expect(await waitForEvent('{{item_name}}.updated')).toEqual(record);
{{/write}}
    expectStatus(await http().delete(`${DEVICE_PATH}/${record.id}`, ada.device.token), 204);
    expect(await waitForEvent('{{item_name}}.deleted')).toEqual(record);
    expect(webhookReceiver.receivedTypes).toEqual(TYPES);
  });

  it('are not recorded by calls that change nothing', async () => {
    const webhook = await ada.createWebhook(webhookReceiver.url, TYPES);
    const record = await create();
    expectProblem(await http().post(DEVICE_PATH, ada.device.token, { name: '' }), 400, 'invalid_request');
{{#write}}
    const createWithKey = async () => {
      const options = { headers: { 'Idempotency-Key': 'key-1' } };
      return expectStatus(await http().post(PATH, ada.token, { name: 'keyed' }, options), 201).data;
    };
    expect(await createWithKey()).toEqual(await createWithKey());
    for (const json of [{}, { name: 'first' }, { name: 'late', expectedVersion: 2 }]) {
      await http().request('PATCH', `${PATH}/${record.id}`, { token: ada.token, json });
    }
{{/write}}
    expectStatus(await http().delete(`${DEVICE_PATH}/${record.id}`, ada.device.token), 204);
    expectProblem(await http().delete(`${DEVICE_PATH}/${record.id}`, ada.device.token), 404, 'not_found');
    await waitForEvent('{{item_name}}.deleted');
    const expected = ['{{item_name}}.created', {{#write}}'{{item_name}}.created', {{/write}}'{{item_name}}.deleted'];
    const deliveries = await ada.listDeliveries(webhook.id);
    expect(deliveries.map(({ type }) => type).sort()).toEqual(expected);
  });

  it('require the scope of the records, and stay in their account', async () => {
    const eve = await Subscriber.signUp(http(), ['webhooks:manage']);
    const refusal = expectProblem(await eve.requestWebhook(webhookReceiver.url, TYPES), 403, 'insufficient_scope');
    expect(refusal.required).toEqual(['{{scope}}']);
    const ofEve = await eve.createWebhook(webhookReceiver.url, ['*']);
    await ada.createWebhook(webhookReceiver.url, TYPES);
    await create('not visible to the token', eve);
    const record = await create();
    expect(await waitForEvent('{{item_name}}.created')).toEqual(record);
    expect(await eve.listDeliveries(ofEve.id)).toEqual([]);
    expect(webhookReceiver.received).toHaveLength(1);
  });

  it('notify the other account devices', async () => {
    const sibling = await ada.device.pairDevice('account');
    const machine = await ada.device.pairDevice('machine');
    const listeners = await Promise.all([ada.device, sibling, machine].map(listen));
    const [heardByOwn, heardBySibling, heardByMachine] = listeners.map(({ heard }) => heard);
    const first = await create();
    const second = expectStatus(await http().post(DEVICE_PATH, sibling.token, { name: 'second' }), 201).data;
    const created = ({ id }: { id: string }) => ({ type: '{{item_name}}.created', id });
    await waitFor(() => expect(heardByOwn).toEqual([created(second)]));
    expect(heardBySibling).toEqual([created(first)]);
    expect(heardByMachine).toEqual([]);
    for (const { socket } of listeners) socket.close();
  });

  async function listen({ token }: ForeignDevice) {
    const socket = await DeviceSocket.connect(fixture.service.url, token, []);
    const heard: object[] = [];
    socket.socket.on('change', (change: object) => heard.push(change));
    return { socket, heard };
  }
});
{{/event}}
