import { BenchCleanup } from '../benchmark-row';
import { CommanderError, InvalidArgumentError, type Command } from 'commander';

/**
 * Runs the program's action and sets the exit code: 2 when the command line is invalid or the run fails. An action that
 * misses a goal sets 1 itself. After SIGINT or SIGTERM, stops what was started and exits with 130.
 */
export async function runBenchProgram(program: Command): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void BenchCleanup.closeAll().finally(() => process.exit(130)));
  }
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has already printed the help or the usage error.
    if (!(error instanceof CommanderError)) console.error(`error: ${(error as Error).message}`);
    process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  }
}

interface NumberRange {
  min: number;
  max: number;
  /** Accepts fractions as well. @default false */
  allowsFractions?: boolean;
}

/** Returns a parser of an option that takes a number. */
export function createNumberParser({ min, max, allowsFractions = false }: NumberRange): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? NaN : Number(text);
    const isInRange = value >= min && value <= max;
    if (!isInRange || (!allowsFractions && !Number.isInteger(value)))
      throw new InvalidArgumentError(`Use a ${allowsFractions ? '' : 'whole '}number from ${min} to ${max}.`);
    return value;
  };
}
