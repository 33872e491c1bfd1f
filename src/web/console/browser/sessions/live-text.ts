import type { DeltaRecord } from '../content/records';

/** Text that an agent is writing (docs/protocol/agents.md#deltas). */
export interface LiveText {
  localId: string;
  turnId: string;
  text: string;
  lastN: number;
  /** A part is missing: the page was opened later, or a part was dropped. */
  isIncomplete: boolean;
}

/** Returns the texts with one more part. A part that is not newer than the last one changes nothing. */
export function addDelta(texts: readonly LiveText[], { localId, turnId, n }: DeltaRecord, part: string): LiveText[] {
  const known = texts.find((each) => each.localId === localId);
  if (!known) return [...texts, { localId, turnId, text: part, lastN: n, isIncomplete: n > 0 }];
  if (n <= known.lastN) return [...texts];
  const added = {
    ...known,
    text: known.text + part,
    lastN: n,
    isIncomplete: known.isIncomplete || n > known.lastN + 1,
  };
  return texts.map((each) => (each.localId === localId ? added : each));
}
