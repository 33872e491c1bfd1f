import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MemoryKeyStore, parseRecipientPublicKey, signUp, type AccountDevice } from '@external-api/device';
import { describeWith } from '../../support/dependencies';
import { expectStatus } from '../../support/device/foreign-device';
import { GO_CACHE } from '../../support/guide/guide-programs';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';

const LONG_TEXT = 'x'.repeat(90_000);
const EXAMPLES = join(__dirname, '../../../docs/guide/examples');
const runFile = promisify(execFile);

interface ReaderProgram {
  language: string;
  /** Words before the program's own arguments. */
  command: string[];
  block: typeof describe;
  env?: NodeJS.ProcessEnv;
}
const READERS: ReaderProgram[] = [
  { language: 'Node', command: ['node', 'read-sealed.mjs'], block: describe },
  { language: 'Python', command: ['python3', 'read-sealed.py'], block: describeWith('python3', 'joserfc') },
  {
    language: 'Go',
    command: ['go', 'run', 'read-sealed.go'],
    block: describeWith('go'),
    env: { GOCACHE: GO_CACHE, GOPROXY: 'off', HOME: tmpdir() },
  },
];
// Runs the guide's programs in their own processes.
for (const reader of READERS)
  reader.block(`the guide’s reader of sealed content in ${reader.language}`, () => testReader(reader));

function testReader({ language, command, env: own }: ReaderProgram): void {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  const username = `ada-of-${language.toLowerCase()}`;
  let service: Service;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let token: string;
  let publicKey: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username });
    machine = await ReferenceMachine.start(
      { url: service.url, account: username, onMessage: ['tr', 'a-z', 'A-Z'] },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    const scopes = ['sessions:read', 'sessions:write', 'sessions:content'];
    ({ token } = await ada.createToken({ name: 'ci', scopes }));
    for (const content of ['grüße', LONG_TEXT]) {
      const path = `/external/v1/sessions/${machine.sessionId}/messages`;
      expectStatus(await service.http.post(path, token, { content }), 200);
    }
    publicKey = (await reader('keygen')).stdout;
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  function reader(action: string, host = service.url) {
    const env = { PATH: process.env.PATH, EXTERNAL_API: `${host}/external/v1`, TOKEN: token, ...own };
    const args = action === 'read' ? [action, machine.sessionId] : [action];
    const [program, ...words] = command.map((word) => (word.startsWith('read-sealed') ? join(EXAMPLES, word) : word));
    return runFile(program!, [...words, ...args], { cwd: folder, env });
  }
  const read = (host?: string) => reader('read', host);

  it('creates a key and stores its private half in a separate file', () => {
    const file = join(folder, 'reader-key.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { d, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    expect(d).toMatch(/^[\w-]{43}$/);
    // Optional: the Go program's key doesn't name its use.
    expect({ use: 'enc', ...JSON.parse(publicKey) }).toEqual({ ...rest, use: 'enc' });
  });

  it('reads nothing before the grant and everything after it', async () => {
    await expect(read()).rejects.toMatchObject({ stderr: expect.stringContaining('403 no_content_grant') });
    const session = await ada.content.getSession(machine.sessionId);
    await ada.content.createKeyGrant(session, { recipient: await parseRecipientPublicKey(publicKey) });
    expect((await read()).stdout.split('\n')).toEqual([
      '#1 user: grüße',
      '#2 assistant: GRüßE',
      `#3 user: ${LONG_TEXT}`,
      `#4 assistant: ${LONG_TEXT.toUpperCase()}`,
      '',
    ]);
  });

  it('detects a service that exchanges texts', async () => {
    const dishonest = await TamperingServer.start(service.url);
    await expect(read(dishonest.url)).rejects.toMatchObject({
      stdout: '#1 user: grüße\n',
      stderr: expect.stringContaining('the text belongs elsewhere'),
    });
    dishonest.stop();
  });
}

/** Malicious proxy that returns the first requested content for every later request. */
class TamperingServer {
  private firstContent: string | undefined;
  private constructor(private readonly server: Server) {}

  static async start(upstreamUrl: string): Promise<TamperingServer> {
    const tamperingServer: TamperingServer = new TamperingServer(
      createServer((request, response) => {
        const { authorization = '' } = request.headers;
        void fetch(upstreamUrl + request.url, { headers: { authorization } }).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': 'application/json' });
          response.end(tamperingServer.replaceContent((await answer.json()) as { data: { content?: string } }));
        });
      }),
    );
    await new Promise<void>((resolve) => tamperingServer.server.listen(0, '127.0.0.1', resolve));
    return tamperingServer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private replaceContent(body: { data: { content?: string } }): string {
    if (body.data.content) body.data.content = this.firstContent ??= body.data.content;
    return JSON.stringify(body);
  }
}
