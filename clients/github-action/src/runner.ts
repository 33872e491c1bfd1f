/** Files and commands of the GitHub runner. */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The runner accepts summaries of up to 1 MiB. */
const MAX_SUMMARY_CHARACTERS = 60_000;
/** The runner accepts outputs of up to 1 MiB. The file has the rest. */
const MAX_REPLY_CHARACTERS = 60_000;

export interface Result {
  status: string;
  isSuccess: boolean;
  exitCode: number | null;
  sessionId: string | null;
  turnId: string | null;
  /** Standard output of the command, or the reply of the agent. */
  output: string | Buffer;
  errorOutput: string | Buffer;
}

export function maskValue(value: string): void {
  process.stdout.write(`::add-mask::${escapeData(value)}\n`);
}

export function reportError(message: string): void {
  process.stdout.write(`::error::${escapeData(message)}\n`);
}

export function reportWarning(message: string): void {
  process.stdout.write(`::warning::${escapeData(message)}\n`);
}

/** Shows where people read the session and decide. */
export function reportSession(host: string, sessionId: string): void {
  process.stdout.write(`Session: ${new URL(`/console/sessions/${encodeURIComponent(sessionId)}`, host).href}\n`);
}

/** Sets the outputs of the step, and shows the result in the log and in the summary of the job. */
export async function reportResult(result: Result): Promise<void> {
  const { status, exitCode, sessionId, turnId, output, errorOutput } = result;
  const folder = await mkdtemp(join(process.env.RUNNER_TEMP ?? tmpdir(), 'external-api-'));
  const file = join(folder, 'stdout');
  await writeFile(file, output, { mode: 0o600 });
  // Neither this cut nor that of the summary leaves half a character.
  const reply = output
    .toString()
    .slice(0, MAX_REPLY_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '');
  await setOutputs({
    status,
    'exit-code': exitCode ?? '',
    'session-id': sessionId ?? '',
    'turn-id': turnId ?? '',
    reply: turnId === null ? '' : reply,
    'stdout-file': file,
  });
  writeToLog(output, errorOutput);
  await appendTo('GITHUB_STEP_SUMMARY', formatSummary(result));
}

async function setOutputs(outputs: Record<string, string | number>): Promise<void> {
  const delimiter = randomUUID();
  const lines = Object.entries(outputs).map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  await appendTo('GITHUB_OUTPUT', lines.join(''));
}

/** The runner would execute commands such as `::add-mask::` in the output, which others have written. */
function writeToLog(...outputs: (string | Buffer)[]): void {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  for (const output of outputs) {
    process.stdout.write(output);
    process.stdout.write('\n');
  }
  process.stdout.write(`::${token}::\n`);
}

function formatSummary({ status, exitCode, turnId, output }: Result): string {
  const work = turnId === null ? 'Command' : `Turn \`${turnId}\``;
  const title = `${work}: **${status}**${exitCode === null ? '' : `, exit code ${exitCode}`}`;
  const text = toWholeText(output)
    .slice(-MAX_SUMMARY_CHARACTERS)
    .replace(/^[\udc00-\udfff]/, '');
  if (text.trim() === '') return `${title}\n`;
  const longestRun = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longestRun + 1);
  return `${title}\n\n${fence}text\n${text}\n${fence}\n`;
}

/** Decodes the output without the parts of characters at its start, which the machine has dropped, and at its end. */
function toWholeText(output: string | Buffer): string {
  if (typeof output === 'string') return output;
  const start = output.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return new TextDecoder().decode(output.subarray(start < 0 ? 3 : start), { stream: true });
}

async function appendTo(variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): Promise<void> {
  const file = process.env[variable];
  if (file) await appendFile(file, text);
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
