import type { IncomingMessage } from 'node:http';

/**
 * Returns whether a header was sent more than once. `headers` drops duplicates of some headers, such as Authorization.
 * @param name lower-case name
 */
export function isRepeatedHeader({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) count += 1;
  return count > 1;
}
