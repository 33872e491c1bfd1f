import { MAX_DELTA_BYTES } from '@external-api/protocol';
import type { DraftPlace } from './delta-sender';

/** The text of one message or thought that isn't sent yet. */
export class MessageDraft {
  private text = '';
  private nextNumber = 0;

  constructor(readonly place: DraftPlace) {}

  get hasText(): boolean {
    return this.text !== '';
  }

  addText(text: string): void {
    this.text += text;
  }

  /** Takes as many whole characters as a delta may have. */
  takeDelta(): { n: number; bytes: Uint8Array } {
    const target = new Uint8Array(MAX_DELTA_BYTES);
    const { read, written } = new TextEncoder().encodeInto(this.text, target);
    this.text = this.text.slice(read);
    return { n: this.nextNumber++, bytes: target.subarray(0, written) };
  }
}
