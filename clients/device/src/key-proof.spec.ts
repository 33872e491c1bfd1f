import { ChallengeError, checkChallengeMessage } from './key-proof';

const URL = 'https://api.example.com';
const THUMBPRINTS = ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', 'aPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'];

const checkText =
  (message: string, challenge = 'c-1') =>
  () =>
    checkChallengeMessage({ challenge, message }, URL, THUMBPRINTS);

describe('a text to sign', () => {
  it.each([
    `Sign in to ${URL}\nChallenge: c-1\nKeys: ${THUMBPRINTS.join(' ')}`,
    `${URL}/ asks you to sign c-1 for ${THUMBPRINTS.join(', ')}.`,
    `I sign in at ${URL}. c-1 ${THUMBPRINTS.join('\n')}`,
    JSON.stringify({ aud: URL, challenge: 'c-1', keys: THUMBPRINTS }),
  ])('is signed: %j', (message) => expect(checkText(message)).not.toThrow());

  const keys = THUMBPRINTS.join(' ');
  it.each([
    ['another service', `https://evil.example c-1 ${keys}`],
    ['a longer host', `${URL}.evil.example c-1 ${keys}`],
    ['another port', `${URL}:8443 c-1 ${keys}`],
    ['a path', `${URL}/x c-1 ${keys}`],
    ['the URL inside another', `https://evil.example/?at=${URL} c-1 ${keys}`],
    ['another challenge', `${URL} c-12 ${keys}`],
    ['one key only', `${URL} c-1 ${THUMBPRINTS[0]}`],
    ['a longer thumbprint', `${URL} c-1 ${THUMBPRINTS[0]} ${THUMBPRINTS[1]}A`],
  ])('is not signed with %s', (_, message) => expect(checkText(message)).toThrow(ChallengeError));

  it('is not signed without a challenge', () => expect(checkText(`${URL} ${keys}`, '')).toThrow(ChallengeError));
});
