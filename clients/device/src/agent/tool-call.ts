import { isInteger, isText } from '../untrusted-values';
import { toArray, toObject, toText, type JsonObject } from './acp';
import type { FileNamer } from './agent-file';
import type { ToolCallLocation, ToolCallRecord, ToolCallStatus } from './agent-session';
import { toBoundedText, toDisplayedLine, toDisplayedValue } from './displayed-text';
import { TerminalOutputs } from './terminal-outputs';
import { MAX_TOOL_TEXT_BYTES, ToolOutput } from './tool-output';
import { formatUnifiedDiff } from './unified-diff';

const MAX_LOCATIONS = 16;
/** No file has a longer path. */
const MAX_PATH_LENGTH = 4_096;
/** Values of an input that are searched for paths. */
const MAX_INPUT_VALUES = 10_000;
/** Members of tools' inputs that name files, such as `file_path`, `paths`, `movePath`, `fileName` and `destination`. */
const PATH_MEMBER = /(path|file_?name|destination)s?$/i;
/** Member of Codex: an object with paths as names. */
const CHANGES_MEMBER = 'changes';

/** Characters of the two texts of a file up to which they are compared, since each line takes memory of its own. */
const MAX_DIFF_LENGTH = 4 * 1024 * 1024;

/** Kinds of version 1 of the protocol. Others, and tools of an unknown kind, are `other`. */
export const TOOL_KINDS: readonly string[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];

const STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const;

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
  private readonly output: ToolOutput;
  private locations: ToolCallLocation[] = [];
  private paths: (string | null)[] = [];
  private diffPaths: (string | null)[] = [];
  private inputPaths: (string | null)[] = [];
  private diff: string | null = null;
  private input: unknown = null;
  /** Whether the agent has reported the call, not only asked for it. */
  isReported = false;
  private isRejected = false;
  /** What the client has said about the call: nothing, if the agent hasn't asked. */
  private permission: 'not_asked' | 'asked' | 'allowed' = 'not_asked';

  /**
   * @param terminals the terminals of the turn
   * @param nameFile takes the files of its output
   */
  constructor(
    readonly id: string,
    terminals = new TerminalOutputs(MAX_TOOL_TEXT_BYTES),
    nameFile?: FileNamer,
  ) {
    this.output = new ToolOutput(id, terminals, nameFile);
  }

  get isRunning(): boolean {
    return this.status === 'in_progress';
  }

  get isFinished(): boolean {
    return this.status === 'completed' || this.status === 'failed';
  }

  /** Whether it belongs in the history. Some agents ask for a call, and say nothing more of it once it is rejected. */
  get isRecorded(): boolean {
    return this.isReported || this.isRejected;
  }

  /** The call was rejected. It has failed, unless the agent reports something else. */
  reject(): void {
    this.isRejected = true;
  }

  /** Whether this may be a command that runs. Codex runs one that it calls `pending` until its end. */
  get isBegunCommand(): boolean {
    if (this.kind !== 'execute' || this.isFinished) return false;
    return this.isRunning || this.permission === 'allowed' || (this.isReported && this.permission === 'not_asked');
  }

  /** Records that the agent asks, which it does before it begins. It may ask again for a call that was allowed. */
  recordQuestion(): void {
    if (this.permission === 'not_asked') this.permission = 'asked';
  }

  recordPermission(): void {
    this.permission = 'allowed';
  }

  mergeUpdate(update: JsonObject): void {
    const { sessionUpdate, title, kind, status, content, rawInput, locations } = update;
    if (typeof title === 'string') this.replaceTitle(title);
    this.kind = TOOL_KINDS.find((known) => known === kind) ?? this.kind;
    this.status = STATUSES.find((known) => known === status) ?? this.status;
    // A call is announced with its description, also by agents that begin to run it at once.
    this.output.mergeUpdate(update, this.isFinished || (this.isRunning && sessionUpdate !== 'tool_call'));
    if (Array.isArray(content)) this.replaceDiff(content);
    if (Array.isArray(locations)) this.replaceLocations(locations);
    if (rawInput !== undefined && rawInput !== null) this.replaceInput(rawInput);
  }

  /** @param isCancelled whether the turn was cancelled, and with it a call that has not finished */
  toRecord(isCancelled = false): ToolCallRecord {
    const { id, title, kind, diff, output, locations } = this;
    return {
      id: toDisplayedLine(id),
      title: title || kind,
      kind,
      status: this.getStatus(isCancelled),
      output: output.readText(),
      ...(output.exitCode === null ? {} : { exitCode: output.exitCode }),
      ...(locations.length > 0 ? { locations } : {}),
      ...(diff ? { diff } : {}),
    };
  }

  private getStatus(isCancelled: boolean): ToolCallStatus {
    if (this.isRejected && !this.isReported) return 'failed';
    return isCancelled && !this.isFinished ? 'cancelled' : this.status;
  }

  /** Returns what a person needs to decide on the call. */
  toProposal() {
    const { title, kind, diff, paths, diffPaths, inputPaths } = this;
    const input = this.input ?? this.describeWithoutInput();
    const mentionedPaths = [...diffPaths, ...inputPaths];
    return { toolCallId: toDisplayedLine(this.id), title: title || kind, kind, input, diff, paths, mentionedPaths };
  }

  private replaceTitle(title: string): void {
    this.title = toDisplayedLine(title) || this.title;
    this.titleText = toBoundedText(title.trim(), MAX_TOOL_TEXT_BYTES) || this.titleText;
  }

  private replaceLocations(locations: unknown[]): void {
    this.locations = parseLocations(locations);
    const named = locations.slice(0, MAX_LOCATIONS).map((location) => parsePath(toObject(location).path));
    this.paths = locations.length <= MAX_LOCATIONS ? named : [...named, null];
  }

  private replaceInput(input: unknown): void {
    this.input = toDisplayedValue(input, MAX_TOOL_TEXT_BYTES);
    this.inputPaths = findPaths(input);
  }

  /** Some agents name the command only in the title or the content, of which a line may show too little. */
  private describeWithoutInput(): string | null {
    const { title, titleText, output } = this;
    return [titleText === title ? '' : titleText, output.readDescription()].filter(Boolean).join('\n\n') || null;
  }

  private replaceDiff(content: unknown[]): void {
    const items = content.map(toObject);
    const diffs = items.filter(({ type, newText }) => type === 'diff' && typeof newText === 'string');
    if (diffs.length === 0) return;
    this.diff = toBoundedText(diffs.map(formatDiff).join(''), MAX_TOOL_TEXT_BYTES) || null;
    this.diffPaths = uniquePaths(diffs.map(({ path }) => parsePath(path)));
  }
}

/** Returns null for what can't be the path of a file. */
const parsePath = (path: unknown): string | null => (isText(path) && path.length <= MAX_PATH_LENGTH ? path : null);

/** Returns at most 16 different paths, and null if there are more. */
function uniquePaths(paths: readonly (string | null)[]): (string | null)[] {
  const unique = [...new Set(paths)];
  return unique.length <= MAX_LOCATIONS ? unique : [...unique.slice(0, MAX_LOCATIONS), null];
}

/** Returns the paths that members of the input name, such as the new place of a file; null for what can't be read. */
function findPaths(input: unknown): (string | null)[] {
  const paths: (string | null)[] = [];
  const waiting: { value: unknown; isPath: boolean }[] = [{ value: input, isPath: false }];
  for (let count = 0; waiting.length > 0; count++) {
    if (count === MAX_INPUT_VALUES || waiting.length > MAX_INPUT_VALUES) return uniquePaths([null, ...paths]);
    const { value, isPath } = waiting.pop()!;
    if (isText(value) && isPath) paths.push(parsePath(value));
    else if (Array.isArray(value)) for (const item of value) waiting.push({ value: item, isPath });
    else
      for (const [name, member] of Object.entries(toObject(value))) {
        if (name === CHANGES_MEMBER && !Array.isArray(member))
          paths.push(...Object.keys(toObject(member)).map(parsePath));
        waiting.push({ value: member, isPath: PATH_MEMBER.test(name) });
      }
  }
  return uniquePaths(paths);
}

function parseLocations(locations: unknown): ToolCallLocation[] {
  return toArray(locations)
    .slice(0, MAX_LOCATIONS)
    .map(toObject)
    .filter(({ path }) => toText(path) !== '')
    .map(({ path, line }) => ({ path: toDisplayedLine(path), ...(isInteger(line, 0) ? { line } : {}) }));
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
