import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { describeWith } from '../../support/dependencies';
import { createMigratedFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';
import { ServiceProcess } from '../../support/service-process';
import { WebhookReceiver, verifySignature } from '../../support/webhooks/webhook-receiver';
import { createSelfSignedCertificate } from '../../support/webhooks/self-signed-certificate';
import { Subscriber } from '../../support/webhooks/webhook-fixture';

/** Longer than the keep-alive timeout. */
const IDLE_MS = 6_000;

describeWith('openssl')('a receiver over https', () => {
  let webhookReceiver: WebhookReceiver;
  let sockets: Socket[];
  let service: ServiceProcess;
  let ada: Subscriber;
  beforeAll(async () => {
    const { certFile, ...tls } = await createSelfSignedCertificate();
    webhookReceiver = await WebhookReceiver.start(undefined, tls);
    sockets = [];
    webhookReceiver.server.on('connection', (socket) => sockets.push(socket));
    const env = { NODE_EXTRA_CA_CERTS: certFile, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
    service = await ServiceProcess.start({ DATA_DIR: createMigratedFolder(), ...env });
    ada = await Subscriber.signUp(service.http);
  });
  afterAll(async () => {
    await service?.stop();
    await webhookReceiver?.stop();
  });

  it('with a trusted certificate receives deliveries over one connection, which closes when it is idle', async () => {
    const { id, secret } = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    for (let count = 1; count <= 3; count++) {
      await ada.triggerEvent();
      const all = await webhookReceiver.waitForRequests(count);
      verifySignature(secret, all.at(-1)!);
      // Wait until the delivery is complete, so that its connection is free for the next one.
      await waitFor(async () => {
        expect((await ada.listDeliveries(id)).map(({ state }) => state)).toEqual(Array(count).fill('delivered'));
      });
    }
    expect(await ada.getWebhook(id)).toMatchObject({ failingSince: null });
    expect(sockets).toHaveLength(1);
    await sleep(IDLE_MS);
    expect(sockets[0]!.destroyed).toBe(true);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(4);
    expect(sockets).toHaveLength(2);
  });
});
