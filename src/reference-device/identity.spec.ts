import { ChallengeError, checkMessage } from './identity';

const URL = 'https://api.example.com';
const PRINTS = ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', 'aPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'];

const check =
  (message: string, challenge = 'c-1') =>
  () =>
    checkMessage({ challenge, message }, URL, PRINTS);

describe('a text to sign', () => {
  it.each([
    `Sign in to ${URL}\nChallenge: c-1\nKeys: ${PRINTS.join(' ')}`,
    `${URL}/ asks you to sign c-1 for ${PRINTS.join(', ')}.`,
    `I sign in at ${URL}. c-1 ${PRINTS.join('\n')}`,
    JSON.stringify({ aud: URL, challenge: 'c-1', keys: PRINTS }),
  ])('is signed: %j', (message) => expect(check(message)).not.toThrow());

  const keys = PRINTS.join(' ');
  it.each([
    ['another service', `https://evil.example c-1 ${keys}`],
    ['a longer host', `${URL}.evil.example c-1 ${keys}`],
    ['another port', `${URL}:8443 c-1 ${keys}`],
    ['a path', `${URL}/x c-1 ${keys}`],
    ['the URL inside another', `https://evil.example/?at=${URL} c-1 ${keys}`],
    ['another challenge', `${URL} c-12 ${keys}`],
    ['one key only', `${URL} c-1 ${PRINTS[0]}`],
    ['a longer thumbprint', `${URL} c-1 ${PRINTS[0]} ${PRINTS[1]}A`],
  ])('is not signed with %s', (_, message) => expect(check(message)).toThrow(ChallengeError));

  it('is not signed without a challenge', () => expect(check(`${URL} ${keys}`, '')).toThrow(ChallengeError));
});
