import { showInvisibleCharacters } from '../lib/visible-text';

/** What a device names an artifact of a turn by (docs/protocol/device-api.md#reference-device). */
interface TurnTag {
  turnId: string;
  kind: 'patch' | 'file' | 'attachment';
  /** Number among the files or the attachments of the turn, from 1; 0 for its patch. */
  n: number;
}

const TURN_TAG = /^ses_\w+\/(turn_\w+)(?:\.patch|\/(message-)?(\d{1,4})(?:\.\w+)?)$/;

/** Returns null for the tag of another artifact. */
export function parseTurnTag(tag: string): TurnTag | null {
  const match = TURN_TAG.exec(tag);
  if (!match) return null;
  const [, turnId, message, n] = match;
  return { turnId: turnId!, kind: !n ? 'patch' : message ? 'attachment' : 'file', n: Number(n ?? 0) };
}

/**
 * Returns what people call an artifact: "Changes of turn 3: total.ts, +12 −4". The tag names any other one.
 * @param turnNumber null if it is unknown
 * @param patch its text, as far as it has been decrypted
 */
export function formatArtifactTitle(tag: string, turnNumber: number | null, patch: string | null): string {
  const parsed = parseTurnTag(tag);
  if (!parsed) return showInvisibleCharacters(tag);
  const turn = turnNumber === null ? 'a turn' : `turn ${turnNumber}`;
  if (parsed.kind === 'attachment') return `Attachment ${parsed.n} of ${turn}`;
  if (parsed.kind === 'file') return `File ${parsed.n} of ${turn}`;
  const summary = patch === null ? '' : summarizePatch(patch);
  return `Changes of ${turn}${summary && `: ${showInvisibleCharacters(summary)}`}`;
}

/** Names the first files of a patch, and counts its lines. Empty for a text without any file. */
export function summarizePatch(patch: string): string {
  const files: string[] = [];
  let [added, removed] = [0, 0];
  let isInHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      isInHunk = false;
      // Git puts unusual names in quotes.
      files.push(line.slice(line.lastIndexOf('/') + 1).replace(/"$/, ''));
    } else if (line.startsWith('@@')) isInHunk = true;
    else if (isInHunk && line.startsWith('+')) added += 1;
    else if (isInHunk && line.startsWith('-')) removed += 1;
  }
  if (files.length === 0) return '';
  const others = files.length > 2 ? ` and ${files.length - 1} more` : files[1] ? ` and ${files[1]}` : '';
  return `${files[0]}${others}, +${added} −${removed}`;
}
