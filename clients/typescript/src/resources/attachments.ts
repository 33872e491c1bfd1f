import type { Attachment } from '../types.ts';

/** Characters of a call of `fromCharCode`, which takes a limited number of arguments. */
const PART_LENGTH = 8_192;

/**
 * Returns a file for `attachments` of a message. All files of a message may have 716,800 bytes together.
 * @param name name of the file, of which the device uses the last part
 */
export function createAttachment(name: string, bytes: Uint8Array): Attachment {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += PART_LENGTH)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + PART_LENGTH)));
  return { name, data: btoa(parts.join('')) };
}
