import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountDevice, FileKeyStore, signUp } from '@external-api/device';
import { AgentProcessPool } from '../../../clients/device/src/agent/agent-process-pool';
import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import type { HttpResponse } from '../http-client';
import { ReferenceMachine } from '../reference-machine';
import type { Service } from '../service';
import { waitFor } from '../wait-for';
import type { GoSamples } from './guide-programs';
import type { GuideBlock, GuideStep, SampleLanguage } from './guide-steps';

const REPOSITORY_FOLDER = join(__dirname, '..', '..', '..');
const STEP_TIMEOUT_MS = 60_000;
/** A line such as `export TOKEN=svc_pat_…`: the reader puts in the value that the page has shown before. */
const PLACEHOLDER = /^export (\w+)=(\w+_)…$/gm;

/** How a program of a step runs. */
export interface RunOptions {
  /** The program doesn't end by itself: interrupts it as soon as its standard output matches. */
  interruptAt?: RegExp;
  /** Runs beside the program, with its outputs so far. */
  meanwhile?: (readOutputs: () => string) => Promise<void>;
}

/**
 * Person who follows the guide from a terminal and has chosen one language: runs the tabs of this language, and the
 * blocks without tabs. Has an account, its device's keys in the home folder, and an online machine with the test agent.
 */
export class GuideReader {
  /** Everything that the page has shown so far, for its placeholders. */
  shown = '';
  /** ID of `TOKEN`, which the console and the device show. */
  tokenId = '';
  private folder = '';
  private env: NodeJS.ProcessEnv = {};
  private readonly processes = new Set<ChildProcess>();

  private constructor(
    readonly service: Service,
    /** The account of the guide. */
    readonly ada: AccountDevice,
    readonly language: SampleLanguage,
    readonly account: AccountDevice,
    readonly machine: ReferenceMachine,
    private readonly ownToken: string,
    private readonly home: string,
    private readonly goSamples: GoSamples | undefined,
  ) {}

  static async start(
    service: Service,
    language: SampleLanguage,
    username: string,
    { ada, goSamples }: { ada?: AccountDevice; goSamples?: GoSamples } = {},
  ): Promise<GuideReader> {
    const home = mkdtempSync(join(tmpdir(), `guide-${language}-`));
    const work = join(home, 'work');
    mkdirSync(work);
    const store = new FileKeyStore(join(home, '.config', 'external-api-device', 'account.json'));
    const account = await signUp({ url: service.url, store, username });
    const command = ['env', 'TEST_AGENT_OPTIONS=options', ...createTestAgentCommand().command];
    const agents = { commands: [createTestAgentCommand({ command })], provider: new AgentProcessPool() };
    const machine = await ReferenceMachine.start(
      { url: service.url, account: username, cwd: work, agents },
      (code, fingerprint) => account.approveByFingerprint(code, fingerprint),
    );
    const { token } = await account.createToken({
      name: 'test',
      scopes: ['machines:invoke', 'sessions:read', 'sessions:write'],
    });
    return new GuideReader(service, ada ?? account, language, account, machine, token, home, goSamples);
  }

  /**
   * Begins a page in a new terminal, in a folder with the example programs and the commands of the repository.
   * @param scopes of `TOKEN`, which the terminal has if the page requires it
   */
  async openPage(scopes?: string[]): Promise<void> {
    this.folder = mkdtempSync(join(this.home, 'page-'));
    cpSync(join(REPOSITORY_FOLDER, 'docs', 'guide', 'examples'), this.folder, { recursive: true });
    for (const name of ['package.json', 'tools', 'node_modules'])
      symlinkSync(join(REPOSITORY_FOLDER, name), join(this.folder, name));
    this.env = { PATH: process.env.PATH, HOME: this.home, PYTHONUNBUFFERED: '1' };
    this.shown = '';
    if (!scopes) return;
    const { record, token } = await this.account.createToken({ name: 'my-script', scopes });
    this.env.TOKEN = token;
    this.tokenId = record.id;
  }

  getVariable(name: string): string {
    const value = this.env[name];
    if (!value) throw new Error(`The page has not assigned ${name}.`);
    return value;
  }

  setVariable(name: string, value: string): void {
    this.env[name] = value;
  }

  /** Sends a request of the External API beside the programs of the page, with a token of its own. */
  async post(path: string, body: object) {
    return expectSuccess(await this.service.http.post(`/external/v1${path}`, this.ownToken, body));
  }

  /** Reads from the External API, with a token of its own. */
  async get(path: string) {
    return expectSuccess(await this.service.http.get(`/external/v1${path}`, this.ownToken));
  }

  /** Returns the block of a step that this reader runs. */
  chooseBlock({ blocks }: GuideStep): GuideBlock | undefined {
    return blocks.length === 1 ? blocks[0] : blocks.find(({ language }) => language === this.language);
  }

  /**
   * Runs a block exactly as printed and returns its standard output.
   * @throws Error with the location and the outputs if it fails
   */
  async runBlock(block: GuideBlock, options: RunOptions = {}): Promise<string> {
    const code = block.code.replace(PLACEHOLDER, (_, name: string, prefix: string) => {
      const values = this.shown.match(new RegExp(`\\b${prefix}[\\w-]+`, 'g'));
      if (!values) throw new Error(`${block.location}: the page has shown no ${prefix}… before.`);
      return `export ${name}=${values.at(-1)!}`;
    });
    const output = await this.runProgram(block, code, options);
    this.shown += `${output}\n`;
    return output;
  }

  async stop(): Promise<void> {
    for (const child of this.processes) process.kill(-child.pid!, 'SIGKILL');
    await this.machine.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  private async runProgram(block: GuideBlock, code: string, { interruptAt, meanwhile }: RunOptions): Promise<string> {
    const [command, ...args] = this.prepareProgram(block, code);
    const child = spawn(command!, args, {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.processes.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    let status: number | string | undefined;
    child.once('close', (exitCode, signal) => {
      this.processes.delete(child);
      status = exitCode ?? signal ?? undefined;
    });
    const helper = meanwhile?.(() => stdout + stderr);
    try {
      await waitFor(() => {
        if (status === undefined && !(interruptAt?.test(stdout) ?? false)) throw new Error('The program runs.');
      }, STEP_TIMEOUT_MS);
      await helper;
    } catch (error) {
      throw new Error(`${block.location}: ${(error as Error).message}\n${stdout}${stderr}`, { cause: error });
    } finally {
      if (status === undefined) process.kill(-child.pid!, 'SIGINT');
    }
    const isDone = interruptAt ? interruptAt.test(stdout) : status === 0;
    if (!isDone) throw new Error(`${block.location}: exit status ${status}\n${stdout}${stderr}`);
    if (block.language === 'sh' && !interruptAt) this.readEnvironment();
    return stdout;
  }

  private prepareProgram(block: GuideBlock, code: string): string[] {
    switch (block.language) {
      case 'sh':
        // The next block runs in the same shell: it has the variables that this one exports.
        writeFileSync(join(this.folder, 'block.sh'), `${code}env -0 > block.env\n`);
        return ['sh', '-eu', 'block.sh'];
      case 'js':
        writeFileSync(join(this.folder, 'sample.mjs'), code);
        return ['node', 'sample.mjs'];
      case 'python':
        writeFileSync(join(this.folder, 'sample.py'), code);
        return ['python3', 'sample.py'];
      case 'go':
        return [this.goSamples!.getBinary(block)];
      default:
        throw new Error(`${block.location}: nothing runs ${block.language}`);
    }
  }

  private readEnvironment(): void {
    const lines = readFileSync(join(this.folder, 'block.env'), 'utf8').split('\0').filter(Boolean);
    this.env = Object.fromEntries(lines.map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]));
  }
}

function expectSuccess({ status, body }: HttpResponse) {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
