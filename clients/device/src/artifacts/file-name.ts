import { extname } from 'node:path';

/** Names of files may have 255 bytes, and a character up to four. */
const MAX_NAME_LENGTH = 60;
const MAX_EXTENSION_LENGTH = 10;
/** Longer paths, such as URIs that contain the file itself, are cut before they are searched. */
const MAX_READ_LENGTH = 4_096;

/**
 * Returns the last part of a path as a name that is safe in any folder and in a line of text: letters, digits, spaces
 * and `._-`, not with a dot or hyphen first. Others become `_`. Returns '' if nothing is left.
 */
export function toFileName(path: string): string {
  const [last = ''] = path.slice(-MAX_READ_LENGTH).split(/[/\\]/).slice(-1);
  const name = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} ._-]+/gu, '_')
    .replace(/^[. -]+/, '');
  const characters = [...name];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  const extension = [...extname(name)].slice(0, MAX_EXTENSION_LENGTH);
  return [...characters.slice(0, MAX_NAME_LENGTH - extension.length), ...extension].join('');
}

/** Returns the name of the file that a URI, or a path in its place, leads to; '' if it has none. */
export function getFileNameOfUri(uri: string): string {
  if (/^data:/i.test(uri)) return '';
  const path = uri.slice(0, MAX_READ_LENGTH);
  try {
    return toFileName(decodeURIComponent(new URL(path).pathname));
  } catch {
    return toFileName(path);
  }
}
