import type { ContentPlace } from '../../wire';
import { sealContent } from '../content/content';
import type { DataKey } from '../content/data-key';
import { headAndTail } from '../exec/head-and-tail';

/** Characters of JWE that one message may hold (device-api.md, Sync). */
export const MAX_CONTENT = 358_400;

const MEDIA_TYPE = 'text/plain; charset=utf-8';

/** A text as a message holds it. What does not fit is cut in the middle, with a mark that says how much. */
export async function sealText(text: string, dataKey: DataKey, place: ContentPlace): Promise<string> {
  const seal = (bytes: Buffer) => sealContent({ mediaType: MEDIA_TYPE, bytes }, dataKey, place);
  const whole = Buffer.from(text);
  const sealed = await seal(whole);
  if (sealed.length <= MAX_CONTENT) return sealed;
  const overhead = sealed.length - base64urlLength(whole.length);
  const room = Math.floor(((MAX_CONTENT - overhead) * 3) / 4);
  return seal(Buffer.from(headAndTail(whole, whole.length, room)));
}

const base64urlLength = (bytes: number): number => Math.ceil((bytes * 4) / 3);
