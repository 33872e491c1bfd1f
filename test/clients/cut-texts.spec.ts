import { runAction } from './support/action-runner';
import { IntegrationFixture } from './support/integration-fixture';
import { buildMcpServer, McpHost } from './support/mcp';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'machines:read', 'machines:invoke'];

describe('output and replies are cut between characters', () => {
  let fixture: IntegrationFixture;
  let host: McpHost;

  beforeAll(async () => {
    buildMcpServer();
    fixture = await IntegrationFixture.start();
    host = await McpHost.start(fixture.url, (await fixture.ada.createToken(SCOPES)).token);
  });
  afterAll(async () => {
    await host?.stop();
    await fixture?.stop();
  });

  it('by the MCP server', async () => {
    const machineId = fixture.machine.id;
    const program =
      "process.stdout.write('€'.repeat(7000) + 'end'); process.stderr.write(Buffer.from([0x61, 0xe2, 0x82]))";
    const command = { machineId, command: process.execPath, args: ['-e', program] };
    const { stdout, stdoutOmittedBytes, stderr } = (await host.call('run_command', command)).structuredContent;
    expect([stdout, stdoutOmittedBytes, stderr]).toEqual([`${'€'.repeat(6_665)}end`, 1_005, 'a']);
    const { sessionId } = (await host.call('start_session', { machineId })).structuredContent;
    const text = `say ${'x'.repeat(7_999)}😀.`;
    const sent = (await host.call('send_message', { sessionId, text })).structuredContent;
    expect(sent.reply).toBe(`${'x'.repeat(7_999)}\n[3 more characters]`);
  });

  it('by the GitHub action', async () => {
    const base = { host: fixture.url, token: fixture.token };
    const machine = fixture.machine.id;
    const program = "process.stdout.write(Buffer.from('😀'.repeat(30001) + 'x😀').subarray(0, -1))";
    const { summary } = await runAction({
      ...base,
      machine,
      command: JSON.stringify([process.execPath, '-e', program]),
    });
    expect(summary).toBe(`Command: **completed**, exit code 0\n\n\`\`\`text\n${'😀'.repeat(29_999)}x\n\`\`\`\n`);
    const session = await fixture.startSession();
    const { outputs } = await runAction({ ...base, session, message: `say ${'x'.repeat(59_999)}😀` });
    expect(outputs.reply).toBe('x'.repeat(59_999));
  });
});
