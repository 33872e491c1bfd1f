import type { DeltaRecord } from '../content/records';

export const LIVE_KINDS = ['message', 'thought', 'tool', 'plan'] as const;

/** What an agent is writing or doing (docs/protocol/agents.md#deltas). */
export interface LiveText {
  localId: string;
  turnId: string;
  kind: (typeof LIVE_KINDS)[number];
  /** JSON text for a tool call and a plan. */
  text: string;
  lastN: number;
  /** A part of a text is missing: the page was opened later, or a part was dropped. */
  isIncomplete: boolean;
}

/**
 * Returns the texts with one more part, or with the newer state of a tool call or a plan. A part that is not newer than
 * the last one changes nothing, and nor does one of a kind that this page doesn't know.
 */
export function addDelta(texts: readonly LiveText[], delta: DeltaRecord, part: string): LiveText[] {
  const { localId, turnId, n } = delta;
  const kind = LIVE_KINDS.find((known) => known === (delta.kind ?? 'message'));
  const known = texts.find((each) => each.localId === localId);
  if (!kind || (known && n <= known.lastN)) return [...texts];
  const isText = kind === 'message' || kind === 'thought';
  if (!known) {
    const added = { localId, turnId, kind, text: part, lastN: n, isIncomplete: isText && n > 0 };
    // Thoughts are not stored: the last one goes when the agent does something else.
    return [...texts.filter((each) => each.kind !== 'thought' || kind === 'plan'), added];
  }
  const changed = {
    ...known,
    text: isText ? known.text + part : part,
    lastN: n,
    isIncomplete: isText && (known.isIncomplete || n > known.lastN + 1),
  };
  return texts.map((each) => (each.localId === localId ? changed : each));
}
