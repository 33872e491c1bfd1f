const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Drops a UTF-8 character that the end of `bytes` cuts in two. */
export function trimCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops the rest of a UTF-8 character that began before `bytes`. */
export function trimCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start++;
  return bytes.subarray(start);
}
