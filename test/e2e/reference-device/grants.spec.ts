import { compactDecrypt, importJWK, type JWK } from 'jose';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountDevice, FileKeyStore } from '@external-api/device';
import { createReaderKey } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { runDeviceProgram } from '../../support/device-cli';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'artifacts:read', 'artifacts:content'];

describe('a grant of the reference device', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grants-'));
  const accountFile = join(folder, 'account.json');
  const machineFile = join(folder, 'machine.json');
  let service: Service;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let token: { token: string; id: string };
  let other: { token: string; id: string };
  let messageId: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    const made = await cli('signup', '--username', 'ada-who-grants');
    expect(made).toMatchObject({ code: 0, err: '' });
    ada = await AccountDevice.open({ store: new FileKeyStore(accountFile) });
    machine = await ReferenceMachine.start(
      {
        url: service.url,
        account: 'ada-who-grants',
        sessionTag: 'work',
        store: new FileKeyStore(machineFile),
      },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    token = await newToken();
    other = await newToken();
    const path = `/external/v1/sessions/${machine.sessionId}/messages`;
    expectStatus(await service.http.post(path, token.token, { content: 'grüße' }), 200);
    messageId = await waitFor(async () => {
      const [message] = expectStatus(await service.http.get(`${path}?role=user`, token.token), 200).data;
      expect(message).toBeDefined();
      return message.id;
    });
  });
  afterEach(async () => {
    for (const { id } of JSON.parse((await cli('grants', 'work', '--json')).out))
      expect((await cli('revoke-grant', 'work', id)).code).toBe(0);
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  const cli = (...argv: string[]) => runDeviceProgram(service.url, accountFile, ...argv);
  const asMachine = (...argv: string[]) => runDeviceProgram(service.url, machineFile, ...argv, '--machine');
  async function newToken() {
    const { record, token: secret } = await ada.createToken({ name: 'ci', scopes: SCOPES });
    return { id: record.id, token: secret };
  }
  const content = (by = token, query = '') =>
    service.http.get(`/external/v1/sessions/${machine.sessionId}/messages/${messageId}/content${query}`, by.token);
  async function expectRefused(by = token) {
    const { status, body } = await content(by);
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
  }
  async function recipientFile(jwk: JWK): Promise<string> {
    const file = join(folder, 'recipient.json');
    writeFileSync(file, JSON.stringify(jwk));
    return Promise.resolve(file);
  }

  it('lets the named token read through the service until it is revoked', async () => {
    await expectRefused();
    const granted = await cli('grant', 'work', '--token', token.id);
    expect(granted).toMatchObject({ code: 0, err: expect.stringContaining('in memory') });
    expect(granted.out).toMatch(new RegExp(`^Decrypted by +the service\nCallers +${token.id}\nExpires +never$`, 'm'));
    expect(expectStatus(await content(), 200).data).toMatchObject({
      encoding: 'plaintext',
      mediaType: 'text/plain; charset=utf-8',
      content: 'grüße',
      contentEncoding: 'utf8',
    });
    await expectRefused(other);
    const [grant] = JSON.parse((await cli('grants', machine.sessionId, '--json')).out);
    expect((await cli('grants', 'work')).out).toMatch(
      new RegExp(`^${grant.id} .* never +the service +${token.id}$`, 'm'),
    );
    expect((await cli('revoke-grant', 'work', grant.id)).code).toBe(0);
    await expectRefused();
    expect(await cli('revoke-grant', 'work', grant.id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not_found'),
    });
  });

  it('covers all tokens of the account without a named one, and is idempotent', async () => {
    const grants = [];
    for (const name of ['work', machine.sessionId]) grants.push(JSON.parse((await cli('grant', name, '--json')).out));
    expect(grants[1]).toEqual(grants[0]);
    for (const by of [token, other]) expect(expectStatus(await content(by), 200).data.content).toBe('grüße');
  });

  it('can be for an app, excluding personal access tokens', async () => {
    const body = { name: 'Notes', redirectUris: ['https://app.example/callback'] };
    const { clientId } = expectStatus(
      await service.http.post('/v1/developer/apps', await ada.getToken(), body),
      201,
    ).data;
    expect((await cli('grant', 'work', '--app', clientId)).out).toMatch(new RegExp(`^Callers +${clientId}$`, 'm'));
    await expectRefused();
  });

  it('expires', async () => {
    expect((await cli('grant', 'work', '--expires', '7d')).code).toBe(0);
    expect((await content()).status).toBe(200);
    service.advanceClock(7 * 86_400_000 - 60_000);
    expect((await content()).status).toBe(200);
    service.advanceClock(120_000);
    await expectRefused();
  });

  it.each(['X25519', 'P-256'] as const)('is opened by the holder of a key on %s alone', async (crv) => {
    const reader = await createReaderKey(crv, crv === 'X25519' ? 'reader-1' : undefined);
    const file = await recipientFile(reader.publicKey);
    const granted = JSON.parse((await cli('grant', 'work', '--recipient', file, '--json')).out);
    const { data } = expectStatus(await content(token, '?encoding=sealed'), 200);
    expect(data.key.recipientKeyId).toBe(granted.recipientKeyId);
    const opened = await compactDecrypt(data.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
    const jwk = JSON.parse(Buffer.from(opened.plaintext).toString());
    const text = await compactDecrypt(data.content, Buffer.from(jwk.k, 'base64url'));
    expect(Buffer.from(text.plaintext).toString()).toBe('grüße');
    expect(text.protectedHeader.kid).toBe(jwk.kid);
    expect((await content(token, '?encoding=plaintext')).status).toBe(403);
  });

  it('rejects a private key', async () => {
    const { privateKey } = await createReaderKey('X25519');
    const file = await recipientFile(privateKey);
    const refused = await cli('grant', 'work', '--recipient', file);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('It is a private key') });
    expect(refused.err).not.toContain(privateKey.d);
    expect(JSON.parse((await cli('grants', 'work', '--json')).out)).toEqual([]);
  });

  it('can be created by a machine for its sessions without changing its key file', async () => {
    const before = readFileSync(machineFile);
    expect((await asMachine('grant', 'work', '--token', token.id)).code).toBe(0);
    expect(expectStatus(await content(), 200).data.content).toBe('grüße');
    expect((await asMachine('read', 'work')).out).toContain('grüße');
    expect(readFileSync(machineFile)).toEqual(before);
    const file = join(folder, 'own.txt');
    writeFileSync(file, 'of the account');
    const { id } = JSON.parse((await cli('artifact', 'put', file, '--json')).out);
    expect(await asMachine('grant', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('forbidden'),
    });
  });

  it('can be for an artifact, which is replaced under its tag', async () => {
    const file = join(folder, 'report.md');
    writeFileSync(file, '# Eins');
    const put = async () => JSON.parse((await cli('artifact', 'put', file, '--json')).out);
    const { id } = await put();
    writeFileSync(file, '# Zwei');
    expect(await put()).toMatchObject({
      id,
      version: 2,
      tag: 'report.md',
      mediaType: 'text/markdown; charset=utf-8',
    });
    expect((await cli('artifact', 'get', id)).out).toBe('# Zwei');
    expect((await cli('grant', id, '--token', token.id)).code).toBe(0);
    const path = `/external/v1/artifacts/${id}/content`;
    expect(expectStatus(await service.http.get(path, token.token), 200).data).toMatchObject({
      content: '# Zwei',
    });
    expect((await service.http.get(path, other.token)).status).toBe(403);
    expect(await cli('artifact', 'put', file, '--type', 'text/plain')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is stored as text/markdown'),
    });
  });

  it('covers the artifacts in a session', async () => {
    const file = join(folder, 'bytes.bin');
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    writeFileSync(file, bytes);
    const put = await asMachine('artifact', 'put', file, '--session', 'work', '--json');
    const { id } = JSON.parse(put.out);
    const path = `/external/v1/artifacts/${id}/content`;
    expect((await service.http.get(path, token.token)).status).toBe(403);
    expect((await cli('grant', 'work')).code).toBe(0);
    const { data } = expectStatus(await service.http.get(path, token.token), 200);
    expect(data).toMatchObject({ contentEncoding: 'base64', content: bytes.toString('base64') });
    const out = join(folder, 'out.bin');
    expect((await cli('artifact', 'get', id, '--out', out)).code).toBe(0);
    expect(readFileSync(out)).toEqual(bytes);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('is described in plain words', async () => {
    expect((await cli('sessions')).out).toMatch(new RegExp(`^${machine.sessionId} +active +2 .* work$`, 'm'));
    expect((await cli('read', 'work')).out).toMatch(/^#1 {2}[\d-]+ [\d:]+ {2}user\ngrüße\n\n#2 .* assistant\ngrüße\n/);
    const [first] = (await cli('read', 'work', '--json')).out.split('\n');
    expect(JSON.parse(first!)).toMatchObject({ id: messageId, seq: 1, role: 'user', text: 'grüße' });
    expect((await cli('read', 'work', '--after-seq', '1')).out).toMatch(/^#2/);
    expect(await cli('read', 'nothing')).toMatchObject({
      code: 1,
      err: 'error: Session "nothing" was not found.\n',
    });
  });

  it.each([
    [['--token', 'svc_pat_secret'], 2, 'not its secret'],
    [['--app', 'svc_ocs_secret'], 2, 'not its secret'],
    [['--token', 'tok_1', '--app', 'svc_oapp_1'], 2, 'cannot be used with option'],
    [['--expires', 'soon'], 2, 'Use a duration such as'],
    [['--recipient', '/missing.json'], 1, 'ENOENT'],
    [['--token', 'tok_00000000000000000000000000'], 1, 'must be an active token of this account'],
  ])('is rejected with %j', async (options, code, message) => {
    const refused = await cli('grant', 'work', ...options);
    expect(refused).toMatchObject({ code, err: expect.stringContaining(message) });
    expect(refused.err).not.toContain('_secret');
  });
});
