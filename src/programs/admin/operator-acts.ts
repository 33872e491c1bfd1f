import { userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError, type Command } from 'commander';
import { AuditRecorder, type AuditAct, type AuditActor } from '../../access/audit';
import { UnitOfWork } from '../../core/database';

const MAX_REASON_LENGTH = 500;

/** Options of commands that change something. */
export interface ActOptions {
  reason?: string;
}

/** Adds the option that says why, for the audit trail. */
export function addReasonOption(command: Command): Command {
  return command.option('--reason <text>', "why, for the audit trail; the account's owner can read it", parseReason);
}

/**
 * Runs the work and records the act of the operator in one transaction. Records nothing if the work returns null, since
 * its record does not exist.
 */
export function runRecordedAct<T>(
  app: INestApplicationContext,
  options: ActOptions,
  act: Omit<AuditAct, 'actor'>,
  work: () => Promise<T>,
): Promise<T> {
  return app.get(UnitOfWork).runInTransaction(async () => {
    const result = await work();
    if (result !== null) await app.get(AuditRecorder).recordActs({ ...act, actor: buildOperatorActor(options) });
    return result;
  });
}

function buildOperatorActor({ reason }: ActOptions): AuditActor {
  return { kind: 'operator', id: getOperatorName(), reason: reason ?? null };
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
function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new InvalidArgumentError(`Use 1 to ${MAX_REASON_LENGTH} characters.`);
  return reason;
}
