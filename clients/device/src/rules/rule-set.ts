import { resolve } from 'node:path';
import type { AgentPermissionRequest } from '../agent/agent-session';
import { isWithin, resolveLinks } from '../exec/real-path';
import { isJsonObject, isText } from '../untrusted-values';
import type { PermissionRule, RuleDecision } from './permission-rule';
import { isExactCommand, mayBeCommand, readShellLine, type ShellLine } from './shell-line';

export interface RuleUse {
  decision: RuleDecision;
  /** Place of the rule in the file, from 1. */
  number: number;
}

type RuledRequest = Pick<AgentPermissionRequest, 'kind' | 'title' | 'input' | 'paths' | 'mentionedPaths'>;

/** What rules compare of a request. */
interface Subject {
  kind: string;
  /** Null if the call runs no command. */
  line: ShellLine | null;
  /** Absolute paths of the call without links; undefined for one that leads nowhere. */
  places: (string | undefined)[];
  /** Others that the agent mentions. */
  mentionedPlaces: (string | undefined)[];
}

/** Kinds of calls that concern no file if they name none. */
const FILELESS_KINDS = new Set(['fetch', 'think', 'switch_mode']);

/**
 * Rules of `--rules`. The strictest one that fits a request counts: `deny`, then `ask`, then `allow`. A rule that
 * allows fits only what is certain; one that doesn't fits whatever may be meant.
 */
export class RuleSet {
  constructor(private readonly rules: readonly PermissionRule[]) {}

  get size(): number {
    return this.rules.length;
  }

  /**
   * Returns the rule for a request, or null if none fits. A command that can't be read is asked about if a rule denies
   * commands, and a tool that may do anything if a rule denies a folder.
   * @param folder absolute path of the session's folder
   */
  async findRule(request: RuledRequest, folder: string): Promise<RuleUse | null> {
    if (this.rules.length === 0) return null;
    const subject = await readSubject(request, folder);
    const fitting = await Promise.all(this.rules.map((rule) => this.fits(rule, subject)));
    const find = (decision: RuleDecision, isFitting = (index: number) => fitting[index]!): RuleUse | null => {
      const index = this.rules.findIndex((rule, each) => rule.decision === decision && isFitting(each));
      return index === -1 ? null : { decision, number: index + 1 };
    };
    const strict = find('deny') ?? find('ask');
    if (strict) return strict;
    const hidden = find('deny', (index) => isHidden(this.rules[index]!, subject));
    return hidden ? { ...hidden, decision: 'ask' } : find('allow');
  }

  private async fits(rule: PermissionRule, subject: Subject): Promise<boolean> {
    const { kind, line, places, mentionedPlaces } = subject;
    const { decision, command, folder } = rule;
    const isAllowing = decision === 'allow';
    if (rule.kind !== undefined && rule.kind !== kind) return false;
    if (line && isAllowing && !isExactCommand(line, command)) return false;
    if (command && !line) return false;
    if (command && !isAllowing && !mayBeCommand(line!, command)) return false;
    if (folder === undefined) return true;
    const root = (await resolveLinks(folder)) ?? folder;
    const all = [...places, ...mentionedPlaces];
    if (isAllowing) return places.length > 0 && all.every((place) => place !== undefined && isWithin(place, root));
    if (places.length === 0 && (decision === 'ask' || kind !== 'other') && !FILELESS_KINDS.has(kind)) return true;
    return all.some((place) => place === undefined || isWithin(place, root));
  }
}

/** Returns whether a request may be one that the rule denies, although nothing of it says so. */
function isHidden({ kind, command, folder }: PermissionRule, subject: Subject): boolean {
  if (subject.line) return !subject.line.isPlain && command !== undefined;
  const isUnknownTool = subject.kind === 'other' && subject.places.length === 0;
  return isUnknownTool && folder !== undefined && command === undefined && (kind ?? 'other') === 'other';
}

async function readSubject(request: RuledRequest, folder: string): Promise<Subject> {
  const { kind, title, input, paths, mentionedPaths } = request;
  const members = isJsonObject(input) ? input : {};
  const line = readLine(members.command) ?? (kind === 'execute' ? readUnknownLine(title, input) : null);
  const workingFolder = resolve(folder, (line && [members.cwd, members.workdir].find(isText)) ?? '.');
  const resolveAll = (named: readonly (string | null)[]) =>
    Promise.all(named.map(async (path) => (path === null ? undefined : resolveLinks(resolve(workingFolder, path)))));
  const places = await resolveAll([...(line ? ['.'] : []), ...paths]);
  return { kind, line, places, mentionedPlaces: await resolveAll(mentionedPaths) };
}

function readLine(command: unknown): ShellLine | null {
  if (isText(command)) return readShellLine(command);
  if (Array.isArray(command) && command.length > 0 && command.every(isText)) return readShellLine(command);
  return null;
}

/** Some agents name the command only in the title, or among other text. Nothing about it is certain. */
const readUnknownLine = (title: string, input: unknown): ShellLine => ({
  words: readShellLine(`${title}\n${isText(input) ? input : JSON.stringify(input ?? '')}`).words,
  isPlain: false,
});
