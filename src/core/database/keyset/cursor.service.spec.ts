import { DerivedKeyProvider, type Config } from '../../config';
import { CursorService, type Cursor } from './cursor.service';

const CURSOR: Cursor = {
  list: 'sessions:acc_1',
  filters: { state: 'active', from: 5 },
  order: 'desc',
  after: [1_767_225_600_000, 'ses_1'],
};
const createService = (...appSecrets: [string, ...string[]]) =>
  new CursorService(new DerivedKeyProvider({ appSecrets } as unknown as Config));

describe('CursorService', () => {
  const service = createService('n'.repeat(32));
  const text = service.encodeCursor(CURSOR);
  const bytes = Buffer.from(text, 'base64url');
  const withByte = (index: number, change: (byte: number) => number) => {
    const changed = Buffer.from(bytes);
    changed[index] = change(changed[index]!);
    return changed.toString('base64url');
  };

  it('decodes what it encoded, with the types of filters and keys', () => {
    expect(service.decodeCursor(text)).toEqual(CURSOR);
  });

  it('writes cursors that need no encoding in a URL', () => {
    expect(encodeURIComponent(text)).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['a signature without a cursor', bytes.subarray(0, 16).toString('base64url')],
    ['less than a signature', bytes.subarray(0, 15).toString('base64url')],
    ['one byte too few', bytes.subarray(0, -1).toString('base64url')],
    ['one byte too many', Buffer.concat([bytes, Buffer.of(0)]).toString('base64url')],
    ['padding', `${text}=`],
    ['a space around it', ` ${text}`],
    ['a character outside of base64url', `${text}.`],
    ['base64 in place of base64url', `${text.slice(0, -1)}+`],
    ['an unsigned cursor', Buffer.from(JSON.stringify(CURSOR)).toString('base64url')],
    [
      'the signature of another cursor',
      Buffer.concat([
        bytes.subarray(0, 16),
        Buffer.from(JSON.stringify({ ...CURSOR, list: 'sessions:acc_2' })),
      ]).toString('base64url'),
    ],
  ])('rejects %s', (_name, forged) => {
    expect(() => service.decodeCursor(forged)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });

  it('rejects a cursor with any one bit changed', () => {
    const accepted = Array.from(bytes.keys()).filter((index) => {
      try {
        service.decodeCursor(withByte(index, (byte) => byte ^ 1));
        return true;
      } catch {
        return false;
      }
    });
    expect(accepted).toEqual([]);
  });

  it('accepts cursors of an earlier secret while it is configured, and then no longer', () => {
    const rotated = createService('m'.repeat(32), 'n'.repeat(32));
    expect(rotated.decodeCursor(text)).toEqual(CURSOR);
    expect(() => service.decodeCursor(rotated.encodeCursor(CURSOR))).toThrow();
    expect(() => createService('m'.repeat(32)).decodeCursor(text)).toThrow();
  });
});
