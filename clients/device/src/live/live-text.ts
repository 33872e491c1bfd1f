import { truncateText } from '@external-api/protocol';
import { toMessageText } from '../agent/displayed-text';
import { STREAM_LIMIT_BYTES } from '../exec/output-buffer';

/**
 * The text of a message while an agent writes it, cleaned like the stored message. The parts that {@link addChunk}
 * returns are the beginning of that message, unless it is so long that its middle is left out.
 */
export class LiveText {
  private heldBack = '';
  private isBlank = true;
  private length = 0;

  /**
   * Returns the text to show after this chunk. Blanks are held back until other text follows, since a blank message is
   * not stored. So is a carriage return, which may be the first half of a line break.
   * @param chunk text without lone surrogates
   */
  addChunk(chunk: string): string {
    const part = truncateText(chunk, Math.max(0, STREAM_LIMIT_BYTES - this.length));
    this.length += chunk.length;
    if (part === '') return '';
    this.isBlank &&= part.trim() === '';
    const text = this.heldBack + part;
    const end = this.isBlank ? 0 : text.length - (text.endsWith('\r') ? 1 : 0);
    this.heldBack = text.slice(end);
    return toMessageText(text.slice(0, end));
  }
}
