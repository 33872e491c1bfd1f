import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from './errors.ts';

const HINT = 'Nothing was sent. Convert it to UTF-8, for example with iconv.';

/** Decodes a text that is to be sent as it is. @throws UsageError for bytes that a decoder would replace */
export function decodeText(bytes: Buffer, place: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${place} is not UTF-8.`, HINT);
  return bytes.toString('utf8');
}

/**
 * Refuses arguments in which Node.js has replaced bytes: a command would concern another file than the user has named.
 * @throws UsageError
 */
export function requireUtf8Arguments(argv: readonly string[]): void {
  if (!argv.some((argument) => argument.includes('\ufffd'))) return;
  let bytes: Buffer;
  try {
    bytes = readFileSync('/proc/self/cmdline');
  } catch {
    // Only Linux tells the bytes.
    return;
  }
  if (!isUtf8(bytes)) throw new UsageError('An argument is not UTF-8.', HINT);
}
