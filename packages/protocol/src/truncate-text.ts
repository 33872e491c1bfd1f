/**
 * Returns the first `maxLength` UTF-16 units of a text, without the first half of a character at the end: JSON readers
 * and PostgreSQL refuse a lone surrogate.
 */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Returns a text of at most `maxLength` UTF-16 units. One that was longer ends in an ellipsis. */
export function shortenText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${truncateText(text, maxLength - 1)}…`;
}

/** Decodes the first `maxBytes` bytes of a UTF-8 text, without the first bytes of a character that ends later. */
export function decodeTruncated(bytes: Uint8Array, maxBytes: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, maxBytes), { stream: bytes.length > maxBytes });
}
