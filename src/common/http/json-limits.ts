/** Limits on the text of a JSON body, which are checked before parsing. */
export interface JsonLimits {
  /** Levels of nested containers, including the root. */
  depth: number;
  /** Members of objects and elements of arrays, summed over all containers. */
  entries: number;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts containers, members and elements of a JSON text and stops when a limit is exceeded. Reads each byte once and
 * allocates nothing, whereas parsing 8 MiB of members takes most of a second. Does not validate the JSON, which the
 * parser does.
 * @param json UTF-8
 * @returns the first limit that the text exceeds, or the number of its members and elements
 */
export function measureJson(json: Uint8Array, limits: JsonLimits): keyof JsonLimits | number {
  let depth = 0;
  let entries = 0;
  let isOpened = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (byte <= SPACE) continue;
    if (isOpened && byte !== CLOSE_OBJECT && byte !== CLOSE_ARRAY) entries += 1;
    isOpened = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    if (isOpened) depth += 1;
    else if (byte === QUOTE) index = findStringEnd(json, index);
    else if (byte === COMMA) entries += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    if (depth > limits.depth) return 'depth';
    if (entries > limits.entries) return 'entries';
  }
  return entries;
}

/** Returns the index of the quote that closes the string at `start`. */
function findStringEnd(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}
