import { OutputBuffer } from '../exec/output-buffer';
import { isInteger } from '../untrusted-values';
import { toObject, toText, type JsonObject } from './acp';
import { TextPieces } from './agent-message';
import { toBoundedText } from './displayed-text';

/** The terminals that have been silent for longest are forgotten beyond this number. */
const MAX_TERMINALS = 64;

interface Terminal {
  output: OutputBuffer;
  pieces: TextPieces;
  hasPieces: boolean;
  exitCode: number | null;
}

/**
 * Output of the terminals of a turn. Agents that run commands themselves send it in `_meta` of a tool call's updates,
 * and name the terminal in its content: `terminal_output_delta` and `terminal_output` have pieces, `terminal_exit` has
 * the exit code. After pieces of the former, the latter is the whole output.
 */
export class TerminalOutputs {
  private readonly terminals = new Map<string, Terminal>();

  constructor(private readonly maxBytes: number) {}

  /**
   * Reads `_meta` of an update.
   * @param defaultId the terminal's id if the agent sends none
   * @returns the ids of the terminals that it is about
   */
  mergeMeta(meta: unknown, defaultId: string): string[] {
    const { terminal_output: output, terminal_output_delta: delta, terminal_exit: exit } = toObject(meta);
    const parts = [delta, output, exit].map(toObject);
    const [ofDelta, ofOutput, ofExit] = parts as [JsonObject, JsonObject, JsonObject];
    const getId = ({ terminal_id: id }: JsonObject): string => toText(id) || defaultId;
    if (typeof ofDelta.data === 'string') this.addPiece(getId(ofDelta), ofDelta.data);
    if (typeof ofOutput.data === 'string') this.addOutput(getId(ofOutput), ofOutput.data);
    if (isInteger(ofExit.exit_code, -(2 ** 31), 2 ** 32)) this.open(getId(ofExit)).exitCode = ofExit.exit_code;
    return [
      ...new Set(parts.filter(({ data, exit_code: code }) => data !== undefined || code !== undefined).map(getId)),
    ];
  }

  /** Returns displayed text; '' of an unknown terminal. */
  readText(id: string): string {
    const terminal = this.terminals.get(id);
    if (!terminal) return '';
    const { text } = terminal.output.readOutput();
    return toBoundedText((text + terminal.pieces.rest).replaceAll('\r\n', '\n'), this.maxBytes);
  }

  getExitCode(id: string): number | null {
    return this.terminals.get(id)?.exitCode ?? null;
  }

  private addPiece(id: string, piece: string): void {
    const terminal = this.open(id);
    terminal.hasPieces = true;
    this.write(terminal, piece);
  }

  private addOutput(id: string, output: string): void {
    const terminal = this.open(id);
    if (terminal.hasPieces) Object.assign(terminal, this.createTerminal(), { exitCode: terminal.exitCode });
    this.write(terminal, output);
  }

  private write(terminal: Terminal, piece: string): void {
    terminal.output.writeChunk(Buffer.from(terminal.pieces.addPiece(piece)));
  }

  private open(id: string): Terminal {
    const terminal = this.terminals.get(id) ?? this.createTerminal();
    this.terminals.delete(id);
    this.terminals.set(id, terminal);
    const [oldestId] = this.terminals.keys();
    if (this.terminals.size > MAX_TERMINALS && oldestId !== undefined) this.terminals.delete(oldestId);
    return terminal;
  }

  private createTerminal(): Terminal {
    return { output: new OutputBuffer(this.maxBytes), pieces: new TextPieces(), hasPieces: false, exitCode: null };
  }
}
