import { generateDataKey } from '@external-api/protocol';
import { toPublicKey } from '../../clients/device/src/keys';
import type { BenchFixture } from './bench-fixture';
import { HttpLoadClient } from './http-load-client';
import { PairedMachine } from './paired-machine';

const CONTENT = 'What does the machine say?';

/** A machine of the reference device that replies with what it gets, and a caller. */
export class EchoMachine {
  private readonly client = new HttpLoadClient();

  private constructor(
    private readonly machine: PairedMachine,
    private readonly url: string,
    /** Session of another device, of whose messages the machine stores nothing. */
    readonly foreignSessionId: string,
  ) {}

  static async start({ firstInstance: { url } }: BenchFixture): Promise<EchoMachine> {
    const machine = await PairedMachine.start(url, { REPLIES: 'echo' });
    try {
      return new EchoMachine(machine, url, await createForeignSession(machine, url));
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  /** The machine's own session. */
  get storedSessionId(): string {
    return this.machine.identity.sessionId;
  }

  /** Sends a message and returns the id under which it is stored; null if it isn't. @throws Error without its echo */
  async echo(sessionId: string): Promise<string | null> {
    const { status, text } = await this.client.sendRequest({
      method: 'POST',
      url: `${this.url}/external/v1/sessions/${sessionId}/messages`,
      token: this.machine.token,
      body: JSON.stringify({ content: CONTENT }),
      keepsText: true,
    });
    if (status !== 200) throw new Error(`a message got ${status}: ${text}`);
    const { result } = JSON.parse(text) as { result: { messageId: string | null; reply: string } };
    if (result.reply !== CONTENT) throw new Error(`the reply is ${result.reply}`);
    return result.messageId;
  }

  stop = async (): Promise<void> => {
    await this.client.stop();
    await this.machine.stop();
  };
}

/** Creates a session of the account's device on the machine. */
async function createForeignSession({ account, accountStore, identity }: PairedMachine, url: string): Promise<string> {
  const { contentKey } = (await accountStore.loadState('account'))!;
  const { kid, sealed } = await generateDataKey(toPublicKey(contentKey!.key));
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await account.getToken()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ tag: 'foreign', machineId: identity.machineId, dataKey: { kid, sealed } }),
  });
  if (response.status !== 201) throw new Error(`a session got ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: { id: string } }).data.id;
}
