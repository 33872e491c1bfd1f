import { getBlockText, toObject, toText, type JsonObject } from './acp';
import type { ToolCallRecord, ToolCallStatus } from './agent-session';
import { toBoundedText, toDisplayedLine, toDisplayedValue } from './displayed-text';
import { formatUnifiedDiff } from './unified-diff';

/** Maximum size of a tool call's output, of its diff and of its input. */
export const MAX_TOOL_TEXT_BYTES = 16 * 1024;

/** Characters of the two texts of a file up to which they are compared, since each line takes memory of its own. */
const MAX_DIFF_LENGTH = 4 * 1024 * 1024;

/** Kinds of version 1 of the protocol. Others, and tools of an unknown kind, are `other`. */
const KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'];

const STATUSES: readonly ToolCallStatus[] = ['pending', 'in_progress', 'completed', 'failed'];

/**
 * One tool call of a turn. Agents report it with `tool_call` and `tool_call_update`; some send only updates, and
 * permission requests contain parts of it as well. All are merged alike: a member that is there replaces the earlier
 * one. Texts are bounded when they arrive, so that a turn with many calls takes little memory.
 */
export class ToolCall {
  private title = '';
  /** The title with its line breaks and more characters, for calls without an input. */
  private titleText = '';
  private kind = 'other';
  private status: ToolCallStatus = 'pending';
  private output = '';
  private rawOutput = '';
  private diff: string | null = null;
  private input: unknown = null;
  /** Whether the agent has reported the call, not only asked for it. */
  isReported = false;

  constructor(readonly id: string) {}

  get isRunning(): boolean {
    return this.status === 'in_progress';
  }

  get isFinished(): boolean {
    return this.status === 'completed' || this.status === 'failed';
  }

  mergeUpdate({ title, kind, status, content, rawInput, rawOutput }: JsonObject): void {
    if (typeof title === 'string') this.replaceTitle(title);
    this.kind = KINDS.find((known) => known === kind) ?? this.kind;
    this.status = STATUSES.find((known) => known === status) ?? this.status;
    if (Array.isArray(content)) this.replaceContent(content);
    if (rawInput !== undefined && rawInput !== null) this.input = toDisplayedValue(rawInput, MAX_TOOL_TEXT_BYTES);
    if (rawOutput !== undefined && rawOutput !== null) this.rawOutput = formatRawOutput(rawOutput);
  }

  toRecord(): ToolCallRecord {
    const { id, title, kind, status, diff } = this;
    const output = this.output || this.rawOutput;
    return { id: toDisplayedLine(id), title: title || kind, kind, status, output, ...(diff ? { diff } : {}) };
  }

  /** Returns what a person needs to decide on the call. */
  toProposal() {
    const { title, kind, diff } = this;
    const input = this.input ?? this.describeWithoutInput();
    return { toolCallId: toDisplayedLine(this.id), title: title || kind, kind, input, diff };
  }

  private replaceTitle(title: string): void {
    this.title = toDisplayedLine(title) || this.title;
    this.titleText = toBoundedText(title.trim(), MAX_TOOL_TEXT_BYTES) || this.titleText;
  }

  /** Some agents name the command only in the title or the content, of which a line may show too little. */
  private describeWithoutInput(): string | null {
    const { title, titleText, output } = this;
    return [titleText === title ? '' : titleText, output].filter(Boolean).join('\n\n') || null;
  }

  private replaceContent(content: unknown[]): void {
    const items = content.map(toObject);
    const texts = items.filter(({ type }) => type === 'content').map((item) => getBlockText(item.content));
    this.output = toBoundedText(texts.join('\n'), MAX_TOOL_TEXT_BYTES);
    const diffs = items.filter(({ type, newText }) => type === 'diff' && typeof newText === 'string').map(formatDiff);
    if (diffs.length > 0) this.diff = toBoundedText(diffs.join(''), MAX_TOOL_TEXT_BYTES) || null;
  }
}

function formatDiff({ path, oldText, newText }: JsonObject): string {
  const edit = {
    path: toDisplayedLine(path),
    oldText: typeof oldText === 'string' ? oldText : null,
    newText: toText(newText),
  };
  const length = toText(oldText).length + edit.newText.length;
  if (length <= MAX_DIFF_LENGTH) return formatUnifiedDiff(edit);
  return `--- ${edit.path}\n+++ ${edit.path}\n[The file is too long for a diff: ${length} characters.]\n`;
}

/** The tool's own result, for agents that send no content. */
function formatRawOutput(rawOutput: unknown): string {
  const displayed = toDisplayedValue(rawOutput, MAX_TOOL_TEXT_BYTES);
  const text = typeof displayed === 'string' ? displayed : JSON.stringify(displayed, null, 2);
  return toBoundedText(text, MAX_TOOL_TEXT_BYTES);
}
