import { isUtf8 } from 'node:buffer';

interface FileType {
  mediaType: string;
  /** Extension of file names, with its dot. */
  extension: string;
}

const TEXT: FileType = { mediaType: 'text/plain; charset=utf-8', extension: '.txt' };
const UNKNOWN: FileType = { mediaType: 'application/octet-stream', extension: '.bin' };

/** The bytes with which files of a type begin, in hexadecimal. A dot stands for any digit. */
const SIGNATURES: [signature: RegExp, type: FileType][] = [
  [/^89504e470d0a1a0a/, { mediaType: 'image/png', extension: '.png' }],
  [/^ffd8ff/, { mediaType: 'image/jpeg', extension: '.jpg' }],
  [/^47494638(?:37|39)61/, { mediaType: 'image/gif', extension: '.gif' }],
  [/^52494646.{8}57454250/, { mediaType: 'image/webp', extension: '.webp' }],
  [/^255044462d/, { mediaType: 'application/pdf', extension: '.pdf' }],
];
const MAX_SIGNATURE_LENGTH = 16;

/** Returns the type of a file by its content. What its sender calls it, and its name, can be wrong. */
export function detectFileType(bytes: Buffer): FileType {
  const start = bytes.toString('hex', 0, MAX_SIGNATURE_LENGTH);
  const known = SIGNATURES.find(([signature]) => signature.test(start));
  if (known) return known[1];
  return isUtf8(bytes) && !bytes.includes(0) ? TEXT : UNKNOWN;
}
