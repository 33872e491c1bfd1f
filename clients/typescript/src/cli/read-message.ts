import { UsageError } from './errors.ts';
import { readInput } from './output/terminal.ts';

/** Returns the text of an argument, or of standard input for `-`. @throws UsageError without a text */
export async function readMessage(argument: string): Promise<string> {
  const text = argument === '-' ? await readInput() : argument;
  if (text.trim() === '') throw new UsageError('The message is empty.');
  return text;
}
