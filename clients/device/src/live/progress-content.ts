import { MAX_DELTA_BYTES, truncateText } from '@external-api/protocol';
import type { PlanEntry, ToolCallRecord } from '../agent/agent-session';
import { truncateMiddle } from '../exec/truncation';

/** Media type of a tool call, also of its message (docs/protocol/device-api.md#reference-device). */
export const TOOL_CALL_MEDIA_TYPE = 'application/vnd.external-api.tool-call+json';
export const PLAN_MEDIA_TYPE = 'application/vnd.external-api.plan+json';

/** Bytes of output and number of locations of a call, from the most that is shown to what always fits. */
const TOOL_CALL_SIZES = [
  [3_072, 16],
  [1_536, 8],
  [512, 2],
  [0, 0],
] as const;

/** Characters of each entry of a plan and their number, from the most that is shown to what always fits. */
const PLAN_SIZES = [
  [300, 64],
  [100, 64],
  [40, 64],
  [40, 16],
  [10, 8],
] as const;

/** Returns JSON of at most {@link MAX_DELTA_BYTES}. Output that is too long is truncated in the middle and says so. */
export function formatToolCall({ id, title, kind, status, output, exitCode, locations = [] }: ToolCallRecord): string {
  const outputBytes = Buffer.from(output);
  return findFitting(TOOL_CALL_SIZES, ([outputLimit, locationLimit]) => ({
    id,
    title,
    kind,
    status,
    locations: locations.slice(0, locationLimit),
    output: truncateMiddle(outputBytes, outputBytes.length, outputLimit),
    exitCode,
  }));
}

/**
 * Returns JSON of at most {@link MAX_DELTA_BYTES}, which says how many entries are left out.
 * @param omitted number of those that are left out already
 */
export function formatPlan(entries: readonly PlanEntry[], omitted: number): string {
  return findFitting(PLAN_SIZES, ([length, count]) => ({
    entries: entries.slice(0, count).map(({ content, ...others }) => ({
      content: content.length > length ? `${truncateText(content, length)}…` : content,
      ...others,
    })),
    omitted: omitted + Math.max(0, entries.length - count),
  }));
}

function findFitting<S>(sizes: readonly S[], build: (size: S) => object): string {
  let text = '';
  for (const size of sizes) {
    text = JSON.stringify(build(size));
    if (Buffer.byteLength(text) <= MAX_DELTA_BYTES) break;
  }
  return text;
}
