const MAX_MARKER_BYTES = 64;

/**
 * Returns UTF-8 text of at most `maxBytes` bytes. Longer text is truncated in the middle, with a marker that states the
 * number of omitted bytes.
 * @param captured the text, or its captured head and tail
 * @param totalBytes length of the whole text
 */
export function truncateMiddle(captured: Buffer, totalBytes: number, maxBytes: number): string {
  if (maxBytes >= totalBytes) return captured.toString('utf8');
  const textBudget = Math.max(0, maxBytes - MAX_MARKER_BYTES);
  const head = trimIncompleteEnd(captured.subarray(0, Math.ceil(textBudget / 2)));
  const tail = trimIncompleteStart(captured.subarray(captured.length - Math.floor(textBudget / 2)));
  const omittedBytes = totalBytes - head.length - tail.length;
  return `${head.toString('utf8')}\n[... ${omittedBytes} bytes left out ...]\n${tail.toString('utf8')}`;
}

/** Removes an incomplete UTF-8 character at the end of `bytes`. */
function trimIncompleteEnd(bytes: Buffer): Buffer {
  for (let offsetFromEnd = 1; offsetFromEnd <= Math.min(4, bytes.length); offsetFromEnd++) {
    const byte = bytes[bytes.length - offsetFromEnd] ?? 0;
    if (isContinuation(byte)) continue;
    return getSequenceLength(byte) > offsetFromEnd ? bytes.subarray(0, bytes.length - offsetFromEnd) : bytes;
  }
  return bytes;
}

/** Removes the rest of a UTF-8 character that began before `bytes`. */
function trimIncompleteStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start++;
  return bytes.subarray(start);
}

function getSequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;
