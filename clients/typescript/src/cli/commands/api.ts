import { readFileSync } from 'node:fs';
import { ApiError } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { readInput } from '../output/terminal.ts';
import { decodeText } from '../utf8-text.ts';

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD'];

export const api: CommandAction = async (context, input) => {
  const method = (input.findArgument('METHOD') ?? 'GET').toUpperCase();
  if (!METHODS.includes(method)) throw new UsageError(`"${method}" is not a method.`, 'See: xapi api --help');
  const path = toPath(context, input.getArgument('PATH'));
  const fields = readFields(input);
  const file = input.findOption('input');
  if (file !== undefined && fields) throw new UsageError('--input and fields exclude one another.');
  const isRead = method === 'GET' || method === 'HEAD';
  const body = file === undefined ? fields : parseJson(await readBody(file), '--input');
  const accept = input.findOption('accept');
  try {
    const response = await context.createClient().request(method, path, {
      query: isRead ? toQuery(fields) : undefined,
      body: isRead ? undefined : body,
      headers: accept === undefined ? undefined : { accept },
      idempotencyKey: input.findOption('idempotency-key'),
    });
    await writeBody(context, response.body);
  } catch (error) {
    // The document is the result of the call, also for programs that read standard output.
    if (error instanceof ApiError && error.problem) await writeBody(context, error.problem);
    throw error;
  }
};

/** Accepts a path below the API, and an address of the same host: the credential goes to no other one. */
function toPath({ credential }: CommandContext, text: string): string {
  if (!/^[a-z][a-z\d+.-]*:/i.test(text)) return text.startsWith('/') ? text : `/${text}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.origin !== credential.host)
    throw new UsageError(`The path must be one of ${credential.host}, since the credential is for this host only.`);
  return url.pathname + url.search;
}

function readFields(input: CommandInput): Record<string, unknown> | undefined {
  const texts = input.listOption('field').map((pair) => splitField(pair));
  const values = input.listOption('json-field').map((pair): [string, unknown] => {
    const [name, text] = splitField(pair);
    return [name, parseJson(text, `-F ${name}`)];
  });
  return texts.length + values.length === 0 ? undefined : Object.fromEntries([...texts, ...values]);
}

function splitField(pair: string): [name: string, value: string] {
  const end = pair.indexOf('=');
  if (end < 1) throw new UsageError('A field is NAME=VALUE.');
  return [pair.slice(0, end), pair.slice(end + 1)];
}

function toQuery(fields: Record<string, unknown> | undefined): Record<string, string> | undefined {
  return fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

async function readBody(file: string): Promise<string> {
  if (file === '-') return readInput();
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  return decodeText(bytes, file);
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${place} is not JSON.`, 'Texts need quotes, or -f NAME=TEXT.');
  }
}

async function writeBody({ terminal }: CommandContext, body: unknown): Promise<void> {
  if (body === undefined) {
    if (terminal.isJson) terminal.writeJson(null);
  } else if (body instanceof Uint8Array || (typeof body === 'string' && !terminal.isJson)) {
    const bytes = Buffer.from(body as Uint8Array);
    if (terminal.isOutputTerminal) terminal.writeLine(terminal.showText(bytes.toString('utf8')));
    else await terminal.writeBytes('stdout', bytes);
  } else if (!terminal.isOutputTerminal || terminal.isJson) terminal.writeJson(body);
  else terminal.writeLine(terminal.showText(JSON.stringify(body, null, 2)));
}
