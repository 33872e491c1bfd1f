import { DerivedKeyProvider, type Config } from '../../core/config';
import { QueuedTextCipher } from './queued-text-cipher';

const createCipher = (...appSecrets: [string, ...string[]]) =>
  new QueuedTextCipher(new DerivedKeyProvider({ appSecrets } as unknown as Config));
const OLD = 'an old application secret, long enough';
const NEW = 'a new application secret, long enough';
const TEXT = { content: 'Please update the changelog. ✓' };

describe('QueuedTextCipher', () => {
  const sealed = createCipher(OLD).encryptText(TEXT, 'qmsg_1');

  it('decrypts with the secret that encrypted the text, also when it is no longer the first', () => {
    expect(createCipher(OLD).decryptText(sealed, 'qmsg_1')).toEqual(TEXT);
    expect(createCipher(NEW, OLD).decryptText(sealed, 'qmsg_1')).toEqual(TEXT);
    expect(createCipher(NEW).decryptText(sealed, 'qmsg_1')).toBeNull();
  });

  it('decrypts for the same message only', () => {
    expect(createCipher(OLD).decryptText(sealed, 'qmsg_2')).toBeNull();
  });

  it('does not contain the text', () => {
    expect(sealed.includes('changelog')).toBe(false);
  });
});
