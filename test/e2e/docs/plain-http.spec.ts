import { MemoryKeyStore, signUp, type AccountDevice } from '@external-api/device';
import { describeWith } from '../../support/dependencies';
import { readGuideCommands, GuideShell } from '../../support/guide-shell';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';

/** Runs the guide's commands with only bash, curl and Node, without any part of this project. */
describeWith('curl')('the guide’s commands for people without the device program', () => {
  let service: Service;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let shell: GuideShell;
  let deviceToken: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
    machine = await ReferenceMachine.start({ url: service.url, account: 'ada' }, (code, fingerprint) =>
      ada.approveByFingerprint(code, fingerprint),
    );
    shell = new GuideShell();
    const [join] = readGuideCommands('authentication', 'Device tokens', service.url);
    let approved = false;
    deviceToken = await shell.runCommands(`${join}\nprintf %s "$DEVICE_TOKEN"`, {}, (notice) => {
      const [, code, fingerprint] = /code (\S+) .*fingerprint there is (\S+)/s.exec(notice) ?? [];
      if (!fingerprint || approved) return;
      approved = true;
      void ada.approveByFingerprint(code!, fingerprint);
    });
  });
  afterAll(async () => {
    shell?.close();
    await machine?.stop();
    await service?.stop();
  });

  const env = () => ({ HOST: service.url, DEVICE_TOKEN: deviceToken });
  const json = async (commands: string, more: NodeJS.ProcessEnv = {}) =>
    JSON.parse(await shell.runCommands(commands, { ...env(), ...more }));
  const isAccountDevice = async (token: string) =>
    (await service.http.get('/v1/account', token)).body.data.username as string;

  it('add a computer to an account', async () => {
    expect(deviceToken).toMatch(/^svc_dev_/);
    expect(await isAccountDevice(deviceToken)).toBe('ada');
  });

  it('sign in again with existing keys', async () => {
    const again = readGuideCommands('authentication', 'Device tokens', service.url)[1]!;
    const token = await shell.runCommands(`${again}\nprintf %s "$DEVICE_TOKEN"`, env());
    expect(token).not.toBe(deviceToken);
    expect(await isAccountDevice(token)).toBe('ada');
  });

  it('create an account', async () => {
    const other = new GuideShell();
    const [join] = readGuideCommands('authentication', 'Device tokens', service.url);
    const signup = join!.replace('join ada', 'signup grace');
    expect(signup).not.toBe(join);
    const token = await other.runCommands(`${signup}\nprintf %s "$DEVICE_TOKEN"`);
    expect(await isAccountDevice(token)).toBe('grace');
    await expect(other.runCommands('node device-token.mjs signup ada', { HOST: service.url })).rejects.toThrow(
      /409 conflict/,
    );
    other.close();
  });

  it('refuse to sign for a service with another URL', async () => {
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    await expect(shell.runCommands('node device-token.mjs', { HOST: elsewhere })).rejects.toThrow(/not to be signed/);
  });

  it('create a token that works', async () => {
    const { data, token } = await json(readGuideCommands('authentication', 'Device tokens', service.url)[2]!);
    expect(data).toMatchObject({ name: 'ci', scopes: ['sessions:read', 'usage:read'], state: 'active' });
    expect((await service.http.get('/external/v1/sessions', token)).status).toBe(200);
  });

  it('register an app', async () => {
    const { data, clientSecret } = await json(readGuideCommands('oauth', 'Register an app', service.url)[1]!);
    expect(data).toMatchObject({ name: 'Notes', redirectUris: ['https://app.example/callback'] });
    expect(clientSecret).toMatch(/^svc_ocs_/);
  });

  it('grant a session, to one token through the service and to the holder of a key', async () => {
    const scopes = ['sessions:read', 'sessions:write', 'sessions:content'];
    const { record, token } = await ada.createToken({ name: 'reader', scopes });
    const tokenId = record.id;
    const path = `/external/v1/sessions/${machine.sessionId}/messages`;
    expect((await service.http.post(path, token, { content: 'grüße' })).status).toBe(200);
    const [, , throughService] = readGuideCommands('encryption', 'Granting', service.url);
    const [, , toKey] = readGuideCommands('encryption', 'A reader from scratch', service.url);
    const names = { SESSION: machine.sessionId, TOKEN_ID: tokenId };

    const granted = await json(throughService!, names);
    expect(granted.data).toMatchObject({ recipient: 'service', tokenId, sessionId: machine.sessionId });
    const [, question] = (await service.http.get(path, token)).body.data as { id: string }[];
    const content = `${path}/${question!.id}/content`;
    expect((await service.http.get(content, token)).body.data).toMatchObject({ content: 'grüße' });

    await shell.runCommands('node read-sealed.mjs keygen > key.json');
    expect((await json(toKey!, names)).data.recipient).toMatchObject({ crv: 'X25519' });
    const reader = { EXTERNAL_API: `${service.url}/external/v1`, TOKEN: token };
    const texts = await shell.runCommands(`node read-sealed.mjs read ${machine.sessionId}`, reader);
    expect(texts).toContain('user: grüße\n');
  });
});
