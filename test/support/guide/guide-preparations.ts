import type { AccountDevice } from '@external-api/device';
import { computeContentHash } from '@external-api/protocol';
import { grantBrowserConsent } from '../oauth/browser-consent';
import { RawConnection } from '../raw-connection';
import { waitFor } from '../wait-for';
import type { GuideReader } from './guide-reader';

/** Lets the service decrypt the session for the reader's token. */
export async function grantSession(reader: GuideReader): Promise<void> {
  const session = await reader.account.content.getSession(reader.getVariable('SESSION'));
  await reader.account.content.createKeyGrant(session, { tokenId: reader.tokenId });
}

/** Returns a step in which the agent of the session gets a message. `TURN` is its turn. */
export function sendMessage(content: string, waitMs = 0) {
  return async (reader: GuideReader): Promise<void> => {
    const path = `/sessions/${reader.getVariable('SESSION')}/messages`;
    const { result } = await reader.post(path, { content, waitMs });
    reader.setVariable('TURN', result.turn.id);
    // The machine reports the turn after its answer.
    await waitFor(() => reader.get(`/sessions/${reader.getVariable('SESSION')}/turns/${result.turn.id}`), 10_000);
  };
}

/** Lets the agent ask for a permission, in a session whose content the reader's token may read. */
export async function requestPermission(reader: GuideReader): Promise<void> {
  await grantSession(reader);
  await letAgentAsk(reader, 'edit greeting.txt Hello');
}

/** Lets the agent ask again. `PERMISSION` and `CONTENT_HASH` are those of the new request. */
export async function requestAnotherPermission(reader: GuideReader): Promise<void> {
  const { id, content } = await letAgentAsk(reader, 'edit farewell.txt Bye');
  reader.setVariable('PERMISSION', id);
  reader.setVariable('CONTENT_HASH', computeContentHash(content));
}

/** Lets the agent ask with a form, in a session whose content the reader's token may read. */
export async function askQuestion(reader: GuideReader): Promise<void> {
  await letAgentAsk(reader, 'question');
}

async function letAgentAsk(reader: GuideReader, prompt: string): Promise<{ id: string; content: string }> {
  await sendMessage(prompt, 25_000)(reader);
  // A slow machine says that the agent waits before the service has the request.
  const token = await reader.account.getToken();
  return waitFor(async () => {
    const { body } = await reader.service.http.get('/v1/permission-requests?state=pending', token);
    expect(body.data).toHaveLength(1);
    return body.data[0];
  }, 30_000);
}

/** Returns a step in which the machine runs a shell script. `INVOCATION` is its invocation. */
export function startInvocation(script: string) {
  return async (reader: GuideReader): Promise<void> => {
    const path = `/machines/${reader.getVariable('MACHINE')}/invocations`;
    const { data } = await reader.post(path, { command: 'sh', args: ['-c', script] });
    reader.setVariable('INVOCATION', data.id);
  };
}

/**
 * Creates the file `followed`, for which the machine's script waits, as soon as the program prints what the script
 * writes: most programs don't show that their stream is open.
 */
export function endInvocationWhenPrinted(output: RegExp) {
  return async (reader: GuideReader, readOutputs: () => string): Promise<void> => {
    await waitFor(() => expect(readOutputs()).toMatch(output), 30_000);
    await reader.post(`/machines/${reader.getVariable('MACHINE')}/invoke`, { command: 'touch', args: ['followed'] });
  };
}

/** Returns a person who approves the device that a program adds to the account. */
export function approveDevice(chooseAccount: (reader: GuideReader) => AccountDevice) {
  return async (reader: GuideReader, readOutputs: () => string): Promise<void> => {
    const [, code, fingerprint] = await waitFor(() => {
      const match = /code (\S+) .*fingerprint there is (\S+)/s.exec(readOutputs());
      if (!match) throw new Error('The device has not shown its code.');
      return match;
    }, 30_000);
    await chooseAccount(reader).approveByFingerprint(code!, fingerprint!);
  };
}

/** Sends messages until the program shows one, since some programs don't show that their stream is open. */
export async function sendMessagesUntilPrinted(reader: GuideReader, readOutputs: () => string): Promise<void> {
  await waitFor(async () => {
    await sendMessage('say printed', 25_000)(reader);
    expect(readOutputs()).toContain('turn.ended');
  }, 30_000);
}

/** Sends messages to a session whose stream is open, as soon as the program shows that it is. */
export function sendMessagesWhenOpen(...contents: string[]) {
  return async (reader: GuideReader, readOutputs: () => string): Promise<void> => {
    await waitFor(() => expect(readOutputs()).toContain('stream.opened'), 30_000);
    for (const content of contents) await sendMessage(content, 25_000)(reader);
  };
}

export async function sendMessageToReceiver(reader: GuideReader, readOutputs: () => string): Promise<void> {
  await waitFor(() => expect(readOutputs()).toContain('Listening'), 30_000);
  await sendWhatAnybodySends('http://127.0.0.1:4401/hooks');
  await sendMessage('say delivered', 25_000)(reader);
}

/** Sends what is not signed to a receiver, which must refuse it and go on. */
async function sendWhatAnybodySends(url: string): Promise<void> {
  const now = String(Math.floor(Date.now() / 1000));
  const forged: Record<string, string>[] = [
    { 'webhook-timestamp': '²' },
    { 'webhook-timestamp': now, 'webhook-signature': 'v1,é' },
  ];
  for (const headers of forged)
    await waitFor(async () => expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401));
  const connection = await RawConnection.openConnection(url);
  connection.writeText('POST /hooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
  connection.close();
  await connection.closed;
}

/** Assigns the session of the machine, for messages of the test. */
export async function chooseSession(reader: GuideReader): Promise<void> {
  reader.setVariable('SESSION', reader.machine.sessionId);
  return Promise.resolve();
}

/** Starts a session, which is then the newest one. */
export async function startSession(reader: GuideReader): Promise<void> {
  await reader.post(`/machines/${reader.machine.machineService.identity.machineId}/sessions`, {});
}

/** Makes the reader's computer a device without the device program, as the page on authentication shows. */
export async function joinWithoutDeviceProgram(reader: GuideReader): Promise<void> {
  const { username } = await reader.account.getAccount();
  const code = `export HOST=${reader.service.url}\nexport DEVICE_TOKEN=$(node device-token.mjs join ${username})\n`;
  const block = { location: 'the preparation of a device', language: 'sh', code };
  await reader.runBlock(block, {
    meanwhile: (readOutputs) => approveDevice(({ account }) => account)(reader, readOutputs),
  });
}

export async function assignDeviceToken(reader: GuideReader): Promise<void> {
  reader.setVariable('DEVICE_TOKEN', await reader.account.getToken());
}

/** Opens the URL that the page has shown, consents, and assigns the URL to which the browser is sent. */
export async function consent(reader: GuideReader): Promise<void> {
  const url = reader.shown.slice(reader.shown.lastIndexOf(`${reader.service.url}/external/v1/oauth/authorize`)).trim();
  const accountId = (await reader.account.getAccount()).id;
  const callback = await grantBrowserConsent(reader.service, { accountId }, url);
  expect(callback.searchParams.get('iss')).toBe(reader.service.url);
  reader.setVariable('CALLBACK', callback.href);
}
