import { STOP_REASONS, type StopReason } from '@external-api/protocol';
import { isJsonObject, isText, type JsonObject } from '../untrusted-values';
import { readBlockFile, type FileNamer } from './agent-file';
import type { PlanEntry } from './agent-session';
import { toBoundedText, toDisplayedLine } from './displayed-text';

/** The only version of the Agent Client Protocol that the device offers and accepts. */
export const ACP_VERSION = 1;

export const AGENT_METHODS = {
  initialize: 'initialize',
  newSession: 'session/new',
  listSessions: 'session/list',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  forkSession: 'session/fork',
  setMode: 'session/set_mode',
  setConfigOption: 'session/set_config_option',
  setModel: 'session/set_model',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  /** Extension of the agents that announce `_meta.steering`. */
  steer: '_session/steering',
} as const;

export const CLIENT_METHODS = {
  update: 'session/update',
  requestPermission: 'session/request_permission',
  createElicitation: 'elicitation/create',
} as const;

const MAX_PLAN_ENTRIES = 256;
const PLAN_STATUSES = ['pending', 'in_progress', 'completed'];
const PLAN_PRIORITIES = ['high', 'medium', 'low'];

/** Agents are other programs, so the device reads their objects as unknown and checks each member that it uses. */
export type { JsonObject };

export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An object can have members that make `String(value)` throw, so other values than texts are empty. */
export function toText(value: unknown): string {
  return isText(value) ? value : '';
}

/**
 * Returns the text of a content block. Blocks that aren't text are named by their type.
 * @param nameFile takes the files of blocks and names them
 */
export function getBlockText(block: unknown, nameFile?: FileNamer): string {
  const { type, text, name, uri, resource } = toObject(block);
  if (typeof text === 'string') return text;
  const file = nameFile && readBlockFile(toObject(block));
  const fileText = file && nameFile(file);
  if (fileText !== undefined) return fileText;
  if (type === 'resource_link') return `[${toText(name) || toText(uri)}](${toText(uri)})`;
  if (type === 'resource') {
    const embedded = toObject(resource);
    return typeof embedded.text === 'string' ? embedded.text : `[${toText(embedded.uri)}]`;
  }
  return typeof type === 'string' ? `[${toBoundedText(type, 64)}]` : '';
}

/** Returns undefined for a reason that version 1 doesn't know. */
export function parseStopReason(value: unknown): StopReason | undefined {
  return STOP_REASONS.find((reason) => reason === value);
}

/** Reads the first entries of a plan, and counts the others. Those without a text are none. */
export function parsePlan(announced: unknown): { entries: PlanEntry[]; omitted: number } {
  const steps = toArray(announced)
    .map(toObject)
    .filter(({ content }) => toText(content).trim() !== '');
  const entries = steps.slice(0, MAX_PLAN_ENTRIES).map(({ content, status, priority }) => ({
    content: toDisplayedLine(content),
    status: PLAN_STATUSES.find((known) => known === status) ?? 'pending',
    priority: PLAN_PRIORITIES.find((known) => known === priority) ?? 'medium',
  }));
  return { entries, omitted: steps.length - entries.length };
}

/** What the device declares to agents (agentclientprotocol.com/protocol/v1/initialization). */
export const CLIENT_CAPABILITIES = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  elicitation: { form: {} },
  session: { configOptions: { boolean: {} } },
  // Qwen Code asks with its questions then, and not with each choice as an option.
  _meta: { 'qwen.askUserQuestion': true },
};
