import type { OutputBuffer } from '../exec/output-buffer';
import { LiveText } from '../live/live-text';
import { toMessageText } from './displayed-text';

/** Joins pieces of a text that may be cut within a character, so that each part which it returns has whole ones. */
export class TextPieces {
  /** The first half of a surrogate pair whose second half is in the next piece. */
  private heldBack = '';

  /** Returns the text that has arrived and was not returned yet, up to the last whole character. */
  addPiece(piece: string): string {
    const text = this.heldBack + piece;
    const end = text.length - (/[\ud800-\udbff]$/.test(text) ? 1 : 0);
    this.heldBack = text.slice(end);
    return text.slice(0, end);
  }

  /** The half of a character that has arrived. */
  get rest(): string {
    return this.heldBack;
  }
}

/** One message or thought while the agent writes it. Its pieces may be cut anywhere, also within a character. */
export class AgentMessage {
  private readonly liveText = new LiveText();
  private readonly pieces = new TextPieces();

  /**
   * @param id the agent's id of the message; '' as long as it has sent none
   * @param output captures the whole text, of a message
   */
  constructor(
    private id: string,
    private readonly output: OutputBuffer | null,
  ) {}

  get hasId(): boolean {
    return this.id !== '';
  }

  /** Whether a piece with this id is part of the message. Some agents send no ids, or not with every piece. */
  contains(id: string): boolean {
    return id === '' || this.id === '' || id === this.id;
  }

  /** Returns the text to show after this piece, see {@link LiveText.addChunk}. */
  addPiece(piece: string, id: string): string {
    this.id ||= id;
    return this.addText(this.pieces.addPiece(piece));
  }

  /** Returns the whole message, and the rest of it to show. Nothing may be added afterwards. */
  complete(): { text: string; added: string } {
    const added = this.addText(this.pieces.rest);
    return { text: toMessageText(this.output?.readOutput().text ?? ''), added };
  }

  private addText(text: string): string {
    // Replaces lone surrogates.
    const bytes = Buffer.from(text);
    this.output?.writeChunk(bytes);
    return this.liveText.addChunk(bytes.toString());
  }
}
