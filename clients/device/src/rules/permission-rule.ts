import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { TOOL_KINDS } from '../agent/tool-call';
import { isJsonObject, isText } from '../untrusted-values';

export const RULE_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type RuleDecision = (typeof RULE_DECISIONS)[number];

/** What the owner of the machine says about some requests of its agents. A member that is absent fits every request. */
export interface PermissionRule {
  decision: RuleDecision;
  /** Kind of the tool call. */
  kind?: string;
  /** First words of the command. */
  command?: readonly string[];
  /** Absolute path: what the call concerns is in this folder or below it. */
  folder?: string;
}

const MAX_RULES = 256;
const MAX_WORDS = 16;
const MAX_FILE_LENGTH = 256 * 1024;
const MEMBERS = ['decision', 'kind', 'command', 'folder'];

/** A file of rules that can't be used. Its message says which member is wrong, and how. */
export class RulesError extends Error {}

/**
 * Reads a file `{"rules": [{"decision", "kind"?, "command"?, "folder"?}]}`.
 * @throws RulesError
 */
export function readRulesFile(path: string): PermissionRule[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new RulesError(`The file of rules can't be read: ${(error as Error).message}`);
  }
  if (text.length > MAX_FILE_LENGTH) throw new RulesError(`The file has more than ${MAX_FILE_LENGTH} characters.`);
  return parseRules(parseJson(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RulesError(`The file is not JSON: ${(error as Error).message}`);
  }
}

/** @throws RulesError */
export function parseRules(value: unknown): PermissionRule[] {
  if (!isJsonObject(value) || !Array.isArray(value.rules) || Object.keys(value).length > 1)
    throw new RulesError('The file must be {"rules": […]} and nothing else.');
  if (value.rules.length > MAX_RULES) throw new RulesError(`There can be at most ${MAX_RULES} rules.`);
  return value.rules.map((rule, index) => parseRule(rule, `Rule ${index + 1}`));
}

function parseRule(rule: unknown, name: string): PermissionRule {
  if (!isJsonObject(rule)) throw new RulesError(`${name} must be an object.`);
  const unknown = Object.keys(rule).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw new RulesError(`${name} has the unknown member ${JSON.stringify(unknown)}.`);
  const { kind, command, folder } = rule;
  const decision = RULE_DECISIONS.find((known) => known === rule.decision);
  if (!decision) throw new RulesError(`${name} needs a decision: ${RULE_DECISIONS.join(', ')}.`);
  if (kind !== undefined && !TOOL_KINDS.includes(kind as string))
    throw new RulesError(`${name} has an unknown kind. It is one of ${TOOL_KINDS.join(', ')}.`);
  if (command !== undefined && !isWordList(command))
    throw new RulesError(`${name} needs a command of 1 to ${MAX_WORDS} words, such as ["git", "status"].`);
  if (folder !== undefined && !(isText(folder) && isAbsolute(folder)))
    throw new RulesError(`${name} needs a folder with an absolute path.`);
  return { decision, ...(rule as Omit<PermissionRule, 'decision'>) };
}

/** A word with a space would match nothing, which its author wouldn't notice. */
const isWordList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_WORDS &&
  value.every((word) => isText(word) && /^\S+$/.test(word));
