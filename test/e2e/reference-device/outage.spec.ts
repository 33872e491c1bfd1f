import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileKeyStore, MemoryKeyStore, signUp, type AccountDevice } from '@external-api/device';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';

describe('a machine that loses the service in the middle of a message', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outage-'));
  const keyFile = join(folder, 'machine.json');
  let service: Service;
  let proxy: TcpProxy;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    proxy = await TcpProxy.start(Number(new URL(service.url).port));
    ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada-of-the-outage' });
    machine = await ReferenceMachine.start(
      {
        url: `http://127.0.0.1:${proxy.port}`,
        publicUrl: service.url,
        account: 'ada-of-the-outage',
        store: new FileKeyStore(keyFile),
        onMessage: ['sh', '-c', 'sleep 1; tr a-z A-Z'],
      },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    ({ token } = await ada.createToken({ name: 'ci', scopes: ['sessions:write'] }));
  });
  afterAll(async () => {
    await machine?.stop();
    await proxy?.cutConnections();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  const send = (content: string) =>
    service.http.post(`/external/v1/sessions/${machine.sessionId}/messages`, token, { content });
  const session = () => ada.content.getSession(machine.sessionId);
  async function history(): Promise<string[]> {
    const texts = [];
    for await (const { role, opened } of ada.content.readHistory(await session()))
      texts.push(`${role}: ${Buffer.from(opened!.bytes).toString()}`);
    return texts;
  }

  it('writes the rest of the exchange after the outage, followed by the next one', async () => {
    const answer = send('one');
    await waitFor(async () => expect((await session()).messageCount).toBe(1));
    await proxy.cutConnections();
    expect((await answer).status).toBe(502);
    await waitFor(() => expect(machine.events).toContainEqual(expect.objectContaining({ event: 'history' })));
    await proxy.restoreTraffic();
    await waitFor(async () => expect(await history()).toEqual(['user: one', 'assistant: ONE']), 10_000);
    await waitFor(async () => expectStatus(await send('two'), 200), 10_000);
    expect(await history()).toEqual(['user: one', 'assistant: ONE', 'user: two', 'assistant: TWO']);
  });

  it('also writes it after its own restart', async () => {
    const before = await history();
    const answer = send('three');
    await waitFor(async () => expect(await history()).toEqual([...before, 'user: three']));
    await proxy.cutConnections();
    expect((await answer).status).toBe(502);
    const outbox = `${keyFile}.outbox`;
    await waitFor(() => expect(readdirSync(outbox)).toHaveLength(1));
    await machine.stop();
    await proxy.restoreTraffic();
    expect(await history()).toHaveLength(before.length + 1);
    await machine.startServing();
    await waitFor(async () => expect(await history()).toEqual([...before, 'user: three', 'assistant: THREE']));
    expect(readdirSync(outbox)).toEqual([]);
  });
});
