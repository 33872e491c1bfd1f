import { getChoices, type QuestionContent, type QuestionField } from '@external-api/protocol/portable';
import { formatCommandLine } from '../lib/command-line';
import { showInvisibleCharacters } from '../lib/visible-text';

export interface QuestionOption {
  optionId: string;
  kind: string;
  /** What the agent calls it. */
  name: string;
}

/** What an agent asks (docs/protocol/agents.md#content), with no character hidden. */
export interface PermissionQuestion {
  title: string;
  tool: string;
  /** Command line of a tool that runs commands. */
  command: string | null;
  /** All of the input, as text; empty if the command line says all of it. */
  input: string;
  options: QuestionOption[];
  /** Unified diff; empty without one. */
  diff: string;
  /** Whether the device has left out parts of the text. */
  isTruncated: boolean;
}

const TRUNCATION_MARKER = /\[(?:\.\.\.|…) (?:\d+ (?:bytes|characters)|deeper values) left out/;

/**
 * Reads the decrypted content of a permission request.
 * @throws Error if it has not the members that a person needs for a decision
 */
export function readPermissionQuestion(bytes: Uint8Array): PermissionQuestion {
  const content = parseObject(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const { title, tool, input = null, options, diff = '' } = content;
  if (typeof title !== 'string' || typeof tool !== 'string' || typeof diff !== 'string') throw unreadableError();
  const shownOptions = readOptions(options);
  if (shownOptions.length === 0) throw unreadableError();
  const { command, rest } = splitInput(input);
  const shown = {
    title: showInvisibleCharacters(title),
    tool: showInvisibleCharacters(tool),
    command: command === null ? null : showInvisibleCharacters(command),
    input: showInvisibleCharacters(formatInput(rest)),
    diff: showInvisibleCharacters(diff),
  };
  const isTruncated = [shown.title, shown.command ?? '', shown.input, shown.diff].some((text) =>
    TRUNCATION_MARKER.test(text),
  );
  return { ...shown, options: shownOptions, isTruncated };
}

const FIELD_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array'];

/**
 * Reads the decrypted content of a question (docs/protocol/agents.md#questions).
 * @throws Error if it has not the form that the page shows
 */
export function readQuestionContent(bytes: Uint8Array): QuestionContent {
  const content = parseObject(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown as QuestionContent;
  const { title, message, schema } = content;
  if (typeof title !== 'string' || typeof message !== 'string') throw unreadableError();
  if (!Object.values(schema.properties).every(isField) || !isTextList(schema.required)) throw unreadableError();
  return content;
}

function isField(field: QuestionField): boolean {
  if (!FIELD_TYPES.includes(field.type)) return false;
  const choices = getChoices(field) ?? [];
  return choices.every((choice) => typeof choice.const === 'string' && typeof choice.title === 'string');
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === 'string');

/** A command becomes a command line; nothing else of the input is left out. */
function splitInput(input: unknown): { command: string | null; rest: unknown } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { command: null, rest: input };
  const { command, ...rest } = input as Record<string, unknown>;
  if (typeof command === 'string' && command !== '') return { command, rest };
  if (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')) {
    return { command: formatCommandLine(command), rest };
  }
  return { command: null, rest: input };
}

function formatInput(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input === null || (typeof input === 'object' && Object.keys(input).length === 0)) return '';
  return JSON.stringify(input, null, 2);
}

function readOptions(value: unknown): QuestionOption[] {
  if (!Array.isArray(value)) return [];
  return value.map((option: unknown) => {
    const { optionId, kind, name } = (option ?? {}) as Record<string, unknown>;
    if (typeof optionId !== 'string' || typeof kind !== 'string') throw unreadableError();
    return { optionId, kind, name: showInvisibleCharacters(typeof name === 'string' ? name : '') };
  });
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadableError();
  return value as Record<string, unknown>;
}

const unreadableError = (): Error => new Error('The content of the request is not in the expected form.');
