import type { JsonObject } from '../untrusted-values';

/** Objects within objects that are read: the message, its parameters and the update in them. */
const MAX_DEPTH = 3;
const MAX_MEMBERS = 64;
/** Longer values are left out. */
const MAX_VALUE_BYTES = 1_024;

const QUOTATION_MARK = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reads which message a line contains that is too long to be parsed: its short texts, numbers and other simple values,
 * to a depth of three objects. Takes little memory, however long the line is.
 */
export class MessageOutline {
  private readonly openObjects: JsonObject[] = [];
  private message: JsonObject | undefined;
  /** Arrays and objects that are open inside of a value that is left out. */
  private ignoredDepth = 0;
  private isInText = false;
  private isEscaped = false;
  /** Bytes of the text or of the other simple value that is being read. */
  private token: number[] = [];
  private isTokenTooLong = false;
  /** Name of the member whose value comes next. */
  private name: string | undefined;
  private isNameNext = false;
  private isInvalid = false;

  readBytes(bytes: Buffer): void {
    for (let index = 0; index < bytes.length && !this.isInvalid; index++) {
      if (this.isInText && this.isLeftOut) index = this.skipText(bytes, index);
      else if (this.isInText) this.readTextByte(bytes[index]!);
      else this.readByte(bytes[index]!);
    }
  }

  /** Returns the outline; undefined if the line isn't an object of JSON, or has two members of the same name. */
  getMessage(): JsonObject | undefined {
    return this.isInvalid || this.openObjects.length > 0 ? undefined : this.message;
  }

  /** Whether the value that is being read is not part of the outline. */
  private get isLeftOut(): boolean {
    return this.ignoredDepth > 0 || this.isTokenTooLong;
  }

  /** Returns the place of the last byte of the text, or of these bytes, as long lines consist of long texts. */
  private skipText(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(QUOTATION_MARK, start);
    let first = end === -1 ? bytes.length : end;
    while (first > start && bytes[first - 1] === BACKSLASH) first--;
    const backslashes = (end === -1 ? bytes.length : end) - first + (first === start && this.isEscaped ? 1 : 0);
    this.isEscaped = backslashes % 2 === 1 && end === -1;
    if (end === -1) return bytes.length;
    if (backslashes % 2 === 0) this.endText();
    return end;
  }

  private readTextByte(byte: number): void {
    const isEnd = byte === QUOTATION_MARK && !this.isEscaped;
    this.isEscaped = byte === BACKSLASH && !this.isEscaped;
    this.addToToken(byte);
    if (isEnd) this.endText();
  }

  private endText(): void {
    this.isInText = false;
    this.isEscaped = false;
    if (this.ignoredDepth > 0) this.token = [];
    else if (this.isNameNext) this.name = this.takeName();
  }

  private readByte(byte: number): void {
    if (byte === QUOTATION_MARK) {
      this.isInText = true;
      this.token = [byte];
      this.isTokenTooLong = false;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.openValue(byte);
    else if (this.ignoredDepth > 0) this.ignoredDepth -= byte === CLOSE_OBJECT || byte === CLOSE_ARRAY ? 1 : 0;
    else if (byte === COMMA) this.endMember(true);
    else if (byte === CLOSE_OBJECT) this.closeObject();
    else if (byte > 0x20 && byte !== COLON) this.addToToken(byte);
  }

  private openValue(byte: number): void {
    const isRoot = this.message === undefined;
    if (this.ignoredDepth > 0) this.ignoredDepth++;
    else if (isRoot ? byte === OPEN_ARRAY : this.openObjects.length === 0) this.isInvalid = true;
    else if (byte === OPEN_ARRAY || this.openObjects.length === MAX_DEPTH) {
      this.ignoredDepth = 1;
      this.isTokenTooLong = true;
    } else this.openObject();
  }

  private openObject(): void {
    const opened: JsonObject = {};
    if (this.message === undefined) this.message = opened;
    else this.setMember(opened);
    this.openObjects.push(opened);
    this.name = undefined;
    this.isNameNext = true;
    this.token = [];
    this.isTokenTooLong = false;
  }

  private closeObject(): void {
    this.endMember(false);
    if (!this.openObjects.pop()) this.isInvalid = true;
  }

  /** Adds the value that was read, unless it is an object, which was added when it began. */
  private endMember(isNameNext: boolean): void {
    if (this.token.length > 0 && !this.isTokenTooLong) this.setMember(this.parseToken());
    this.token = [];
    this.isTokenTooLong = false;
    this.name = undefined;
    this.isNameNext = isNameNext;
  }

  private setMember(value: unknown): void {
    const object = this.openObjects.at(-1);
    const { name } = this;
    if (!object || name === undefined || Object.hasOwn(object, name)) this.isInvalid = true;
    else if (Object.keys(object).length < MAX_MEMBERS && name !== '__proto__') object[name] = value;
  }

  private takeName(): string {
    const name = this.isTokenTooLong ? '' : String(this.parseToken());
    this.token = [];
    this.isTokenTooLong = false;
    this.isNameNext = false;
    return name;
  }

  private parseToken(): unknown {
    try {
      return JSON.parse(Buffer.from(this.token).toString());
    } catch {
      this.isInvalid = true;
      return undefined;
    }
  }

  private addToToken(byte: number): void {
    if (this.token.length < MAX_VALUE_BYTES) this.token.push(byte);
    else this.isTokenTooLong = true;
  }
}
