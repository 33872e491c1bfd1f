import { showInvisibleCharacters } from '../lib/visible-text';

/** More text makes pages slow. */
const MAX_LENGTH = 100_000;

/**
 * One output stream of a command, as text of bounded length. Parts may arrive twice or leave gaps, since live output is
 * dropped rather than delayed (docs/protocol/invocations.md#live-output).
 */
export class OutputText {
  /** Position after the last byte. */
  nextOffset = 0;
  private text = '';
  private isCut = false;
  private decoder = new TextDecoder();

  constructor(private readonly maxLength = MAX_LENGTH) {}

  addBytes(offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length;
    if (end <= this.nextOffset) return;
    const missing = offset - this.nextOffset;
    if (missing > 0) this.addText(`${this.decoder.decode()}\n[… ${missing} bytes are missing here …]\n`);
    this.addText(this.decoder.decode(bytes.subarray(Math.max(0, -missing)), { stream: true }));
    this.nextOffset = end;
  }

  addText(text: string): void {
    this.text += text;
    if (this.text.length <= this.maxLength) return;
    const rest = this.text.slice(-this.maxLength);
    // Begins with a whole line, unless lines are very long.
    const lineEnd = rest.indexOf('\n');
    this.text = lineEnd !== -1 && lineEnd < this.maxLength / 10 ? rest.slice(lineEnd + 1) : rest;
    this.isCut = true;
  }

  /** Text in which control characters and escape sequences of terminals are visible and have no effect. */
  get shownText(): string {
    return `${this.isCut ? '[… earlier output is not shown …]\n' : ''}${showInvisibleCharacters(this.text)}`;
  }
}

export const decodeBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
