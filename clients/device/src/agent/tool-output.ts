import { isInteger } from '../untrusted-values';
import { getBlockText, toObject, toText, type JsonObject } from './acp';
import type { FileNamer } from './agent-file';
import { toBoundedText, toDisplayedValue } from './displayed-text';
import { TerminalOutputs } from './terminal-outputs';

/** Maximum size of a tool call's output, of its diff and of its input. */
export const MAX_TOOL_TEXT_BYTES = 16 * 1024;

const MAX_TERMINALS = 16;

/** Displayed text, or the output of a terminal. */
type OutputPart = { text: string } | { terminalId: string };

/**
 * Output of one tool call. Agents report it as content, as the output of a terminal, or only as `rawOutput`, and many
 * send a description of the call as its content before it runs.
 */
export class ToolOutput {
  private parts: OutputPart[] = [];
  /** Whether the content came while or after the tool ran. Otherwise it describes the call. */
  private isContentOutput = false;
  private rawOutput = '';
  /** Whether `rawOutput` has come after the content. */
  private isRawOutputNewer = false;
  private rawExitCode: number | null = null;
  private readonly terminalIds = new Set<string>();

  constructor(
    private readonly callId: string,
    private readonly terminals: TerminalOutputs,
    private readonly nameFile?: FileNamer,
  ) {}

  /** @param isRunning whether the tool had begun when the agent sent the update, or has ended with it */
  mergeUpdate({ content, rawOutput, _meta }: JsonObject, isRunning: boolean): void {
    for (const id of this.terminals.mergeMeta(_meta, this.callId)) this.addTerminal(id);
    const hasRawOutput = rawOutput !== undefined && rawOutput !== null;
    if (Array.isArray(content)) {
      this.parts = this.readContent(content.map(toObject));
      this.isContentOutput = isRunning || hasRawOutput;
      if (this.isContentOutput && this.parts.length > 0) this.isRawOutputNewer = false;
    }
    if (!hasRawOutput) return;
    this.rawOutput = formatRawOutput(rawOutput);
    this.rawExitCode = findExitCode(toObject(rawOutput));
    if (!Array.isArray(content) || this.parts.length === 0) this.isRawOutputNewer = true;
  }

  /** Returns displayed text of at most {@link MAX_TOOL_TEXT_BYTES}. */
  readText(): string {
    const terminalText = this.readTerminals([...this.terminalIds]);
    if (this.isRawOutputNewer && terminalText === '') return this.rawOutput;
    const content = this.isContentOutput ? this.renderParts() : '';
    const isShown = content.includes(terminalText.trim());
    return bound(isShown ? content : join([content, terminalText])) || this.rawOutput;
  }

  /** Returns the content that describes the call, as long as there is no output. */
  readDescription(): string {
    return this.renderParts();
  }

  get exitCode(): number | null {
    const codes = [...this.terminalIds].map((id) => this.terminals.getExitCode(id));
    return codes.findLast((code) => code !== null) ?? this.rawExitCode;
  }

  private readContent(items: JsonObject[]): OutputPart[] {
    const parts: OutputPart[] = [];
    let texts: string[] = [];
    const endText = (): void => {
      if (texts.length > 0) parts.push({ text: bound(texts.join('\n')) });
      texts = [];
    };
    for (const item of items) {
      if (item.type === 'content') texts.push(getBlockText(item.content, this.nameFile));
      // Content of a later version is shown like a block of content.
      else if (item.type !== 'diff' && item.type !== 'terminal') texts.push(getBlockText(item, this.nameFile));
      else if (item.type === 'terminal' && this.addTerminal(toText(item.terminalId))) {
        endText();
        parts.push({ terminalId: toText(item.terminalId) });
      }
    }
    endText();
    return parts;
  }

  private renderParts(): string {
    return bound(join(this.parts.map((part) => ('text' in part ? part.text : this.readTerminals([part.terminalId])))));
  }

  private readTerminals(ids: string[]): string {
    return join(ids.map((id) => this.terminals.readText(id)));
  }

  private addTerminal(id: string): boolean {
    if (this.terminalIds.size < MAX_TERMINALS) this.terminalIds.add(id);
    return this.terminalIds.has(id);
  }
}

const join = (texts: string[]): string => texts.filter((text) => text !== '').join('\n');

const bound = (text: string): string => toBoundedText(text, MAX_TOOL_TEXT_BYTES);

/** The tool's own result, for agents that send no content. */
function formatRawOutput(rawOutput: unknown): string {
  const displayed = toDisplayedValue(rawOutput, MAX_TOOL_TEXT_BYTES);
  return bound(typeof displayed === 'string' ? displayed : JSON.stringify(displayed, null, 2));
}

/** Agents name the exit code of a command differently. */
function findExitCode({ exit_code: snakeCase, exitCode, metadata }: JsonObject): number | null {
  const codes = [exitCode, snakeCase, toObject(metadata).exit];
  return codes.find((code): code is number => isInteger(code, -(2 ** 31), 2 ** 32)) ?? null;
}
