import type { Content } from '@external-api/protocol/portable';
import { truncateText } from '@external-api/protocol/portable';

/** What the page shows of decrypted content. */
export type Preview =
  | { kind: 'text'; text: string; isDiff: boolean }
  | { kind: 'image'; mediaType: string }
  /** It claims to be an image of a known type and isn't one. */
  | { kind: 'false-image' }
  | { kind: 'none' };

/** First bytes of the image types that a page shows. `null` stands for any byte. */
const IMAGE_SIGNATURES: Record<string, (number | null)[]> = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38],
  'image/webp': [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50],
};

const EXTENSIONS: Record<string, string> = {
  'application/json': '.json',
  'image/gif': '.gif',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'image/webp': '.webp',
  'text/html': '.html',
  'text/markdown': '.md',
  'text/plain': '.txt',
  'text/x-diff': '.patch',
  'text/x-patch': '.patch',
};

const DIFF_TYPES = ['text/x-diff', 'text/x-patch'];
const MAX_NAME_LENGTH = 100;
/** Names of devices on Windows. */
const RESERVED_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Returns the type without parameters, in lower case. */
export const getEssence = (mediaType: string): string => mediaType.split(';')[0]!.trim().toLowerCase();

/** Returns the media type of an image by its first bytes, or null. */
export function detectImageType(bytes: Uint8Array): string | null {
  const match = Object.entries(IMAGE_SIGNATURES).find(([, signature]) =>
    signature.every((byte, index) => byte === null || bytes[index] === byte),
  );
  return match?.[0] ?? null;
}

/**
 * Decides by the bytes what can be shown: an image only with the first bytes of its type, everything else that is valid
 * UTF-8 as text, HTML and SVG included.
 */
export function choosePreview({ mediaType, bytes }: Content): Preview {
  const essence = getEssence(mediaType);
  if (essence in IMAGE_SIGNATURES) {
    return detectImageType(bytes) === essence ? { kind: 'image', mediaType: essence } : { kind: 'false-image' };
  }
  const text = readText(bytes);
  return text === null ? { kind: 'none' } : { kind: 'text', text, isDiff: DIFF_TYPES.includes(essence) };
}

function readText(bytes: Uint8Array): string | null {
  // Text has no null characters.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns a file name that can't leave its folder, hide its ending or name a device. */
export function buildFileName(tag: string, mediaType: string): string {
  const whole = tag
    .split(/[/\\]/)
    .at(-1)!
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^[. ]+/, '');
  // The cut may end in a dot or in a space.
  const base = truncateText(whole, MAX_NAME_LENGTH).replace(/(?<![. ])[. ]+$/, '');
  const name = base === '' || RESERVED_NAME.test(base) ? `artifact_${base}`.replace(/_$/, '') : base;
  return /\.[\p{L}\p{N}]{1,10}$/u.test(name) ? name : name + (EXTENSIONS[getEssence(mediaType)] ?? '');
}

const UNITS = ['bytes', 'kB', 'MB'];

export function formatBytes(bytes: number): string {
  const exponent = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const amount = bytes / 1_000 ** exponent;
  const maximumFractionDigits = amount < 10 && exponent > 0 ? 1 : 0;
  return `${amount.toLocaleString('en', { maximumFractionDigits })} ${UNITS[exponent]}`;
}
