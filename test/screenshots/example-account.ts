import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentProcessPool } from '../../clients/device/src/agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../../clients/device/src/agent/testing/test-agents';
import { appendMessages } from '../browser/support/append-messages';
import type { BrowserUser } from '../browser/support/test-browser';
import { expectStatus } from '../support/device/foreign-device';
import { ReferenceMachine } from '../support/reference-machine';
import type { Service } from '../support/service';
import { waitFor } from '../support/wait-for';
import { acceptRequest, respondWithStatus, WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { EXAMPLE_CONVERSATION } from './example-conversation';

const SCOPES = [
  'sessions:read',
  'sessions:write',
  'artifacts:read',
  'machines:read',
  'machines:invoke',
  'webhooks:manage',
];
/** Steps of the test agent: the first turn changes a file, the second one waits for a decision. */
const FIRST_PROMPT =
  'say I’ll write the notes of the release from the merged changes.\n' +
  'tool 12 changes since v1.4.0\n' +
  'create RELEASE.md # Release 1.5.0\\n\\n- Reports of regions without invoices\\n- Faster exports\\n\n' +
  'name Empty regions\n' +
  'say Done: RELEASE.md lists the new features first, then the fixes.';
const SECOND_PROMPT = 'say I need your approval to publish them.\nedit RELEASE.md # Release 1.5.0, 2 March';
/** Turns of a session of its own: the last one goes on as long as its tool. */
const LONG_PROMPTS = [
  'say I’ll write the report of both regions first.\n' +
    'context 12400 200000 0.0184\n' +
    'tool eu-west: 3,120 invoices, us-east: 2,871 invoices\n' +
    'create REGIONS.md | Region  | Invoices |\\n| ------- | -------: |\\n| eu-west |    3,120 |\\n\n' +
    'name Billing of both regions\n' +
    'say REGIONS.md has one table for each region.',
  'say I run the tests of both regions, and then write down what differs.\n' +
    'context 48200 200000 0.0425\n' +
    'plan Read the reports|Run the tests of both regions|Write down what differs\n' +
    'waiting-tool eu-west: 214 passed, us-east: 180 passed, 34 to go',
];
const COMMANDS = [
  { command: 'git', args: ['--version'] },
  { command: 'uname', args: ['-sr'] },
  { command: 'no-such-program', args: [] },
];

/**
 * Account whose records fill the console's pages. The browser creates it and approves a machine of the reference
 * device, which runs commands and an agent, and a receiver of webhooks accepts some deliveries and rejects others.
 */
export class ExampleAccount {
  tokenId = '';
  clientId = '';
  webhookId = '';
  deliveryId = '';
  sessionId = '';
  runningSessionId = '';
  machineId = '';
  artifactId = '';
  private token = '';
  machine!: ReferenceMachine;
  private readonly folder = mkdtempSync(join(tmpdir(), 'screenshots-'));

  private constructor(
    readonly service: Service,
    private readonly user: BrowserUser,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async create(service: Service, user: BrowserUser): Promise<ExampleAccount> {
    const account = new ExampleAccount(service, user, await WebhookReceiver.start());
    await user.signUp('ada');
    await account.createTokens();
    await account.createWebhooks();
    await account.createApp();
    await account.startMachine();
    await account.makeCalls();
    await account.workWithAgent();
    await account.startLongTurn();
    await account.failDelivery();
    await account.waitForTitles();
    return account;
  }

  async stop(): Promise<void> {
    await this.machine?.stop();
    await this.receiver.stop();
    rmSync(this.folder, { recursive: true });
  }

  private async createTokens(): Promise<void> {
    const path = '/v1/account/external-tokens';
    await this.post(path, { name: 'Weekly usage report', scopes: ['usage:read'], expiresInDays: 365 });
    const created = await this.post(path, { name: 'Nightly build on the workshop machine', scopes: SCOPES });
    this.tokenId = created.data.id;
    this.token = created.token;
  }

  private async createWebhooks(): Promise<void> {
    const events = ['relay.completed', 'relay.failed', 'machine.online', 'machine.registered'];
    const body = { url: `${this.receiver.url}/release-channel`, events, description: 'Posts to the release channel' };
    const { http } = this.service;
    this.webhookId = expectStatus(await http.post('/external/v1/webhooks', this.token, body), 201).data.id;
    const other = { url: `${this.receiver.url}/${'a-long-path/'.repeat(8)}`, events: ['*'] };
    expectStatus(await http.post('/external/v1/webhooks', this.token, other), 201);
  }

  private async createApp(): Promise<void> {
    const { data } = await this.post('/v1/developer/apps', {
      name: 'Release notes',
      description: 'Writes release notes from sessions',
      homepageUrl: 'https://notes.example',
      redirectUris: ['https://notes.example/callback', 'http://127.0.0.1:4400/callback'],
    });
    this.clientId = data.clientId;
  }

  private async startMachine(): Promise<void> {
    const { page } = this.user;
    await buildTestAgent();
    // The changes of a turn become an artifact in a Git work tree only.
    execFileSync('git', ['init', '--quiet', this.folder]);
    const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool() };
    const options = { url: this.service.url, account: 'ada', name: 'workshop', cwd: this.folder, agents };
    this.machine = await ReferenceMachine.start(options, async (code) => {
      await page.goto('/console/devices');
      await page.getByLabel('Approve a device').fill(code);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL('**/console/devices');
    });
  }

  private async makeCalls(): Promise<void> {
    const { http } = this.service;
    const machines = expectStatus(await http.get('/external/v1/machines', this.token), 200).data;
    const invoke = `/external/v1/machines/${machines[0].id}/invoke`;
    for (const command of COMMANDS) await http.post(invoke, this.token, command);
    await http.post('/external/v1/machines/mch_01k00000000000000000000000/invoke', this.token, COMMANDS[0]);
    this.machineId = machines[0].id;
    this.sessionId = this.machine.sessionId;
  }

  private async workWithAgent(): Promise<void> {
    const { http } = this.service;
    await appendMessages(this, EXAMPLE_CONVERSATION.length, (index) => EXAMPLE_CONVERSATION[index]!);
    const messages = `/external/v1/sessions/${this.sessionId}/messages`;
    for (const content of [FIRST_PROMPT, SECOND_PROMPT]) {
      expectStatus(await http.post(messages, this.token, { content }), 200);
    }
    await waitFor(async () => {
      const { data } = expectStatus(await http.get('/external/v1/artifacts', this.token), 200);
      this.artifactId = data[0].id;
    });
  }

  private async startLongTurn(): Promise<void> {
    const { http } = this.service;
    const machine = `/external/v1/machines/${this.machineId}`;
    const start = { agent: 'test', cwd: this.folder, content: LONG_PROMPTS[0] };
    this.runningSessionId = expectStatus(
      await http.post(`${machine}/sessions`, this.token, start),
      200,
    ).result.sessionId;
    const messages = `/external/v1/sessions/${this.runningSessionId}/messages`;
    expectStatus(await http.post(messages, this.token, { content: LONG_PROMPTS[1], waitMs: 0 }), 200);
  }

  /** The agents name their sessions a while after the first messages have. */
  private async waitForTitles(): Promise<void> {
    const { page } = this.user;
    await page.goto('/console/sessions');
    for (const name of ['Empty regions', 'Billing of both regions'])
      await page.getByRole('link', { name, exact: true }).waitFor();
  }

  /** Sends a test event that the receiver accepts and one that it rejects. */
  private async failDelivery(): Promise<void> {
    const deliveries = `/v1/webhooks/${this.webhookId}/deliveries`;
    const waitForState = (matches: (delivery: any) => boolean) =>
      waitFor(async () => {
        const { data } = expectStatus(await this.service.http.get(deliveries, await this.readLogin()), 200);
        const found = data.find(matches);
        if (!found) throw new Error('No delivery is in this state.');
        return found;
      });
    this.receiver.handler = acceptRequest;
    await waitForState(({ state }) => state === 'delivered');
    this.receiver.handler = respondWithStatus(500, {}, '{"error": "The queue is full"}');
    await this.post(`/v1/webhooks/${this.webhookId}/test`, {});
    this.deliveryId = (await waitForState(({ attempts, state }) => attempts > 0 && state === 'pending')).id;
  }

  private async post(path: string, body: object): Promise<any> {
    const { status, body: answer } = await this.service.http.post(path, await this.readLogin(), body);
    if (status >= 300) throw new Error(`${path} responded with ${status}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Returns the device token of the browser's login. */
  private async readLogin(): Promise<string> {
    const [cookie] = await this.user.context.cookies();
    return cookie!.value;
  }
}
