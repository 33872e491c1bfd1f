import { admin, adminJson } from '../../support/admin-cli';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { Receiver, verify } from '../../support/webhooks/receiver';
import { LOOPBACK, Subscriber, type Made } from '../../support/webhooks/webhook-scene';

const OLD = 'the application secret of yesterday';
const NEW = 'the application secret of tomorrow!';

/** The steps of docs/runbooks/secret-rotation.md, APP_SECRET. */
describePostgres('a rotated APP_SECRET', () => {
  let database: Database;
  let receiver: Receiver;
  let service: ServiceProcess;
  let ada: Subscriber;
  let webhook: Made;

  const env = (...secrets: string[]) => ({ ...database.env, ...LOOPBACK, APP_SECRET: secrets.join() });
  const restart = async (...secrets: string[]) => {
    await service?.stop();
    // The same port: whoever was a client stays one.
    service = await ServiceProcess.start(env(...secrets), { port: service?.port });
  };
  /** Sends a test, which is signed as its receiver knows it. */
  const delivers = async () => {
    const before = receiver.received.length;
    await ada.act(webhook.id, 'test');
    const received = (await receiver.got(before + 1)).at(-1)!;
    expect(() => verify(webhook.secret, received)).not.toThrow();
  };

  beforeAll(async () => {
    database = await createDatabase();
    receiver = await Receiver.start();
    await restart(OLD);
    ada = await Subscriber.signUp(service.http);
    webhook = await ada.create(receiver.url);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await receiver?.stop();
    await database?.drop();
  });

  it('leaves receivers the secrets that they have, once they are sealed anew', async () => {
    await restart(NEW, OLD);
    await delivers();
    expect(await adminJson(env(NEW, OLD), 'reseal')).toEqual({ resealed: 1, lost: [] });
    await delivers();
    expect(await adminJson(env(NEW, OLD), 'reseal')).toEqual({ resealed: 0, lost: [] });
    await restart(NEW);
    await delivers();
  });

  it('is not taken for done while there is one that nothing opens', async () => {
    const { code, stdout, stderr } = await admin(env(OLD), 'reseal');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ resealed: 0, lost: [webhook.id] });
    expect(stderr).toContain('give the one that does, or rotate them');
    await delivers();
  });
});
