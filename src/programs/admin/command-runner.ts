import { userInfo } from 'node:os';
import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import { InvalidArgumentError, type Command } from 'commander';
import { AuditRecorder, type AuditAct } from '../../access/audit';
import { escapeLineBreaks } from '../../common/json-line';
import { runInRequestContext, type RequestActor } from '../../common/request-context';
import { loadConfig } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { runWithAdminDatabase } from './admin.module';

const MAX_REASON_LENGTH = 500;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 50;

/** Options of all commands; `reason` only of those that change something. */
interface CommonOptions {
  json?: true;
  reason?: string;
}

/** What a command works with: the output of the program, and the service's modules. */
export class CommandContext {
  constructor(
    private readonly app: INestApplicationContext,
    private readonly output: CommandOutput,
  ) {}

  get<T>(type: Type<T> | Abstract<T>): T {
    return this.app.get(type);
  }

  /** Writes the result as one JSON document. */
  writeJson(value: unknown): void {
    this.output.writeJson(value);
  }

  /** Writes `text` for people, and `value` with `--json`. */
  writeText(text: string, value: object): void {
    this.output.writeText(text, value);
  }

  /** Writes a line for the operator to standard error, except with `--json`. */
  writeRemark(text: string): void {
    this.output.writeRemark(text);
  }

  /**
   * Runs the work and records the act in one transaction. Records nothing if the work returns null, since its record
   * does not exist.
   */
  runRecordedAct<T>(act: AuditAct, work: () => Promise<T>): Promise<T> {
    return this.get(UnitOfWork).runInTransaction(async () => {
      const result = await work();
      if (result !== null) await this.recordActs([act]);
      return result;
    });
  }

  recordActs(acts: AuditAct[]): Promise<void> {
    return this.get(AuditRecorder).recordActs(acts);
  }
}

/** Standard output, which scripts read, and standard error. */
export class CommandOutput {
  /** @param isForScripts whether it is one line of JSON, without remarks */
  constructor(private readonly isForScripts = false) {}

  writeJson(value: unknown): void {
    process.stdout.write(`${escapeLineBreaks(JSON.stringify(value, null, this.isForScripts ? 0 : 2))}\n`);
  }

  writeText(text: string, value: object): void {
    if (this.isForScripts) this.writeJson(value);
    else process.stdout.write(`${text}\n`);
  }

  writeRemark(text: string): void {
    if (!this.isForScripts) process.stderr.write(`${text}\n`);
  }
}

/** Adds a command with the option that all have. */
export function addCommand(program: Command, name: string): Command {
  return program.command(name).option('--json', 'print the result as one line of JSON, without remarks');
}

/** Adds a command that changes something, with the option that says why, for the audit trail. */
export function addRecordedCommand(program: Command, name: string): Command {
  return addCommand(program, name).option(
    '--reason <text>',
    "why, for the audit trail; the account's owner can read it",
    parseReason,
  );
}

/** Adds the option of commands that list records. */
export function addLimitOption(command: Command): Command {
  return command.option('--limit <number>', `at most this many, 1 to ${MAX_LIMIT}`, parseLimit, DEFAULT_LIMIT);
}

/** Returns an action of Commander that runs the command on the service's database, as the operator. */
export function runOnDatabase<Args extends unknown[]>(
  runCommand: (context: CommandContext, ...args: Args) => Promise<void>,
): (...args: [...Args, ...unknown[]]) => Promise<void> {
  return (...args) => {
    const command = args.at(-1) as Command;
    return runAsOperator(command, (context) => runCommand(context, ...(args.slice(0, -1) as Args)));
  };
}

/** Runs the work on the service's database. The audit trail names the operator as the actor of all that it does. */
export async function runAsOperator(command: Command, work: (context: CommandContext) => Promise<void>): Promise<void> {
  const { json, reason = null } = command.opts<CommonOptions>();
  const actor: RequestActor = { kind: 'operator', id: getOperatorName(), reason };
  await runInRequestContext({ traceparent: undefined, actor }, () =>
    runWithAdminDatabase(loadConfig(), (app) => work(new CommandContext(app, new CommandOutput(json)))),
  );
}

/** Returns the name of the user of the operating system. Containers may run as a user without a name. */
function getOperatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** @throws InvalidArgumentError */
function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new InvalidArgumentError(`Use a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

/** @throws InvalidArgumentError */
function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new InvalidArgumentError(`Use 1 to ${MAX_REASON_LENGTH} characters.`);
  return reason;
}
