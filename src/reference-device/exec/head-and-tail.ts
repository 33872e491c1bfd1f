import { trimCutEnd, trimCutStart } from './utf8-seam';

const MARKER_BYTES = 64;

/**
 * UTF-8 text of at most `budget` bytes: what is longer is cut in the middle, with a mark that says how much.
 * @param kept the text, or as much of its head and tail as was kept
 * @param bytes length of the whole text
 */
export function headAndTail(kept: Buffer, bytes: number, budget: number): string {
  if (budget >= bytes) return kept.toString('utf8');
  const room = Math.max(0, budget - MARKER_BYTES);
  const head = trimCutEnd(kept.subarray(0, Math.ceil(room / 2)));
  const tail = trimCutStart(kept.subarray(kept.length - Math.floor(room / 2)));
  const leftOut = bytes - head.length - tail.length;
  return `${head.toString('utf8')}\n[... ${leftOut} bytes left out ...]\n${tail.toString('utf8')}`;
}
