import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MemoryKeyStore, parseRecipient, signUp, type AccountDevice } from '../../../src/reference-device';
import { ok } from '../../support/device/foreign-device';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';

const LONG = 'x'.repeat(90_000);
const READER = join(__dirname, '../../../docs/guide/examples/read-sealed.mjs');
const run = promisify(execFile);

// The program of the guide as it stands there, in a process of its own.
describe('the guide’s reader of sealed content', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  let service: Service;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let token: string;
  let publicKey: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada-of-the-guide' });
    machine = await ReferenceMachine.start(
      { url: service.url, account: 'ada-of-the-guide', onMessage: ['tr', 'a-z', 'A-Z'] },
      (code, fingerprint) => ada.approveOwn(code, fingerprint),
    );
    const scopes = ['sessions:read', 'sessions:write', 'sessions:content'];
    ({ token } = await ada.createToken({ name: 'ci', scopes }));
    for (const content of ['grüße', LONG]) {
      const path = `/external/v1/sessions/${machine.sessionId}/messages`;
      ok(await service.http.post(path, token, { content }), 200);
    }
    publicKey = (await reader('keygen')).stdout;
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  function reader(command: string, host = service.url) {
    const env = { PATH: process.env.PATH, EXTERNAL_API: `${host}/external/v1`, TOKEN: token };
    const args = command === 'read' ? [READER, command, machine.sessionId] : [READER, command];
    return run(process.execPath, args, { cwd: folder, env });
  }
  const read = (host?: string) => reader('read', host);

  it('makes a key whose private half stays in a file of its own', () => {
    const file = join(folder, 'reader-key.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { d, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    expect(d).toMatch(/^[\w-]{43}$/);
    expect(JSON.parse(publicKey)).toEqual({ ...rest, use: 'enc' });
  });

  it('reads nothing before it is granted, and everything after it', async () => {
    await expect(read()).rejects.toMatchObject({ stderr: expect.stringContaining('403 no_content_grant') });
    const session = await ada.content.session(machine.sessionId);
    await ada.content.grant(session, { recipient: parseRecipient(publicKey) });
    expect((await read()).stdout.split('\n')).toEqual([
      '#1 user: grüße',
      '#2 assistant: GRüßE',
      `#3 user: ${LONG}`,
      `#4 assistant: ${LONG.toUpperCase()}`,
      '',
    ]);
  });

  it('does not believe a service that passes off one text for another', async () => {
    const dishonest = await Impostor.start(service.url);
    await expect(read(dishonest.url)).rejects.toMatchObject({
      stdout: '#1 user: grüße\n',
      stderr: expect.stringContaining('the text belongs elsewhere'),
    });
    dishonest.stop();
  });
});

/** A service that gives out the first text that it was asked for, whichever is asked for then. */
class Impostor {
  private content: string | undefined;
  private constructor(private readonly server: Server) {}

  static async start(behind: string): Promise<Impostor> {
    const impostor: Impostor = new Impostor(
      createServer((request, response) => {
        const { authorization = '' } = request.headers;
        void fetch(behind + request.url, { headers: { authorization } }).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': 'application/json' });
          response.end(impostor.falsified((await answer.json()) as { data: { content?: string } }));
        });
      }),
    );
    await new Promise<void>((resolve) => impostor.server.listen(0, '127.0.0.1', resolve));
    return impostor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private falsified(body: { data: { content?: string } }): string {
    if (body.data.content) body.data.content = this.content ??= body.data.content;
    return JSON.stringify(body);
  }
}
