import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceContentClient, putArtifact } from '@external-api/device';
import { AgentProcessPool } from '../../../clients/device/src/agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { createRemoteService } from '../../../clients/device/src/service-address';
import { SignedInDevice } from '../../../clients/device/src/signed-in-device';
import { expectStatus } from '../../support/device/foreign-device';
import { ReferenceMachine } from '../../support/reference-machine';
import { startBrowserEnvironment, type BrowserEnvironment } from './browser-environment';
import { TestBrowser, type BrowserUser } from './test-browser';

/**
 * A person whose browser created the account and holds its content key, and a reference machine whose sessions the test
 * agent works in. The browser has approved the machine.
 */
export class ContentFixture {
  private constructor(
    readonly service: BrowserEnvironment,
    readonly browser: TestBrowser,
    readonly ada: BrowserUser,
    readonly machine: ReferenceMachine,
    /** Folder in which the machine's agent works. */
    readonly folder: string,
    /** Folder in which it stores its own sessions. */
    readonly agentFolder: string,
  ) {}

  /** @param launch browser that is not the usual one */
  static async start(env: NodeJS.ProcessEnv = {}, launch = () => TestBrowser.launchBrowser()): Promise<ContentFixture> {
    await buildTestAgent();
    const service = await startBrowserEnvironment({
      RATE_LIMIT_RELAY: '100000',
      RATE_LIMIT_METADATA: '100000',
      ...env,
    });
    const browser = await launch();
    const ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
    const folder = mkdtempSync(join(tmpdir(), 'content-'));
    const agentFolder = mkdtempSync(join(tmpdir(), 'content-agent-'));
    // The device may have another `process.env` than the test.
    const command = ['env', `TEST_AGENT_FOLDER=${agentFolder}`, ...createTestAgentCommand().command];
    const machine = await ReferenceMachine.start(
      {
        url: service.url,
        name: 'build box',
        account: 'ada',
        cwd: folder,
        agents: { commands: [createTestAgentCommand({ command })], provider: new AgentProcessPool() },
      },
      (code, fingerprint) => approveDevice(ada, code, fingerprint),
    );
    return new ContentFixture(service, browser, ada, machine, folder, agentFolder);
  }

  /** Creates a token on its page. It can list sessions. @param scopes further ones */
  async createToken(name: string, scopes: readonly string[]): Promise<{ id: string; secret: string }> {
    const { page } = this.ada;
    await page.goto('/console/tokens/new');
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    for (const scope of scopes) await page.locator(`input[value="${scope}"]`).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = (await page
      .getByRole('group', { name: `Token ${name}` })
      .locator('code')
      .textContent())!;
    await page.getByRole('link', { name: 'I’ve saved it' }).click();
    await page.getByRole('heading', { name }).waitFor();
    return { id: new URL(page.url()).pathname.split('/').at(-1)!, secret };
  }

  /** Stores an artifact of the machine's session, with the session's data key. Returns its id. */
  async putArtifact(tag: string, mediaType: string, content: string | Uint8Array): Promise<string> {
    const { store, sessionId } = this.machine;
    const remoteService = createRemoteService({ url: this.service.url });
    const device = new SignedInDevice(remoteService, store, (await store.loadState('machine'))!);
    const client = new DeviceContentClient(device);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return (await putArtifact(client, tag, { mediaType, bytes }, await client.getSession(sessionId))).id;
  }

  /** Deletes an artifact, as its device does. */
  async deleteArtifact(id: string): Promise<void> {
    const { token } = (await this.machine.store.loadState('machine'))!;
    expectStatus(await this.service.http.delete(`/v1/artifacts/${id}`, token!.value), 204);
  }

  async stop(): Promise<void> {
    await this.machine.stop();
    await this.browser.close();
    await this.service.stop();
    for (const folder of [this.folder, this.agentFolder]) rmSync(folder, { recursive: true, force: true });
  }
}

async function approveDevice({ page }: BrowserUser, code: string, fingerprint: string): Promise<void> {
  await page.goto('/console/devices');
  await page.getByLabel('Approve a device').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(fingerprint).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
}
