import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { migratedFolder, removeFolders } from '../../support/data-folder';
import { eventually } from '../../support/eventually';
import { ServiceProcess } from '../../support/service-process';
import { Receiver, verify } from '../../support/webhooks/receiver';
import { selfSigned } from '../../support/webhooks/self-signed';
import { Subscriber } from '../../support/webhooks/webhook-scene';

/** As long as an idle connection is kept, and a little. */
const IDLE_MS = 6_000;

describe('a receiver over https', () => {
  let receiver: Receiver;
  let sockets: Socket[];
  let service: ServiceProcess;
  let ada: Subscriber;
  beforeAll(async () => {
    const { certFile, ...tls } = await selfSigned();
    receiver = await Receiver.start(undefined, tls);
    sockets = [];
    receiver.server.on('connection', (socket) => sockets.push(socket));
    const env = { NODE_EXTRA_CA_CERTS: certFile, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
    service = await ServiceProcess.start({ DATA_DIR: migratedFolder(), ...env });
    ada = await Subscriber.signUp(service.http);
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.stop();
    removeFolders();
  });

  it('whose certificate is trusted gets what is signed, over one connection that ends when it is idle', async () => {
    const { id, secret } = await ada.create(receiver.url, ['session.created']);
    for (let count = 1; count <= 3; count++) {
      await ada.happen();
      const all = await receiver.got(count);
      verify(secret, all.at(-1)!);
      // Over, so that its connection is free for the next.
      await eventually(async () => {
        expect((await ada.deliveries(id)).map(({ state }) => state)).toEqual(Array(count).fill('delivered'));
      });
    }
    expect(await ada.webhook(id)).toMatchObject({ failingSince: null });
    expect(sockets).toHaveLength(1);
    await sleep(IDLE_MS);
    expect(sockets[0]!.destroyed).toBe(true);
    await ada.happen();
    await receiver.got(4);
    expect(sockets).toHaveLength(2);
  });
});
