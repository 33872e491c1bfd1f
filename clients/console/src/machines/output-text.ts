/** More text makes pages slow. */
const MAX_LENGTH = 100_000;
/** Bytes of a UTF-8 character after its first one. */
const MAX_ORPHANS = 3;

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
  private maxOrphans = 0;

  constructor(private readonly maxLength = MAX_LENGTH) {}

  addBytes(offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length;
    if (end <= this.nextOffset) return;
    const missing = offset - this.nextOffset;
    if (missing > 0) this.skipBytes(missing);
    const part = this.dropOrphans(bytes.subarray(Math.max(0, -missing)));
    this.addText(this.decoder.decode(part, { stream: true }));
    this.nextOffset = end;
  }

  addText(text: string): void {
    this.text += text;
    if (this.text.length <= this.maxLength) return;
    // Without the second half of a character at the start.
    const rest = this.text.slice(-this.maxLength).replace(/^[\udc00-\udfff]/, '');
    // Begins with a whole line, unless lines are very long.
    const lineEnd = rest.indexOf('\n');
    this.text = lineEnd !== -1 && lineEnd < this.maxLength / 10 ? rest.slice(lineEnd + 1) : rest;
    this.isCut = true;
  }

  /** What the command wrote, with the escape sequences of terminals. */
  get writtenText(): string {
    return `${this.isCut ? '[… earlier output is not shown …]\n' : ''}${this.text}`;
  }

  /** Says what is missing. Drops the character before, of which only a part is there. */
  private skipBytes(count: number): void {
    this.addText(`\n[… ${count} bytes are missing here …]\n`);
    this.decoder = new TextDecoder();
    this.maxOrphans = MAX_ORPHANS;
  }

  /** Returns the bytes without the rest of a character that began in the missing ones. It may come in several parts. */
  private dropOrphans(bytes: Uint8Array): Uint8Array {
    let count = 0;
    while (count < Math.min(bytes.length, this.maxOrphans) && (bytes[count]! & 0xc0) === 0x80) count++;
    this.maxOrphans = count === bytes.length ? this.maxOrphans - count : 0;
    return bytes.subarray(count);
  }
}

export const decodeBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
