import { hostname } from 'node:os';
import { openSealedJson, type PrivateJwk } from '../../resources/sealed-content.ts';
import { LoopbackRedirect, type BrowserOptions } from './loopback-redirect.ts';

const MAX_NAME_LENGTH = 100;

/**
 * Lets the user create a personal access token in the console. The browser brings it here, sealed to a key of this call.
 * @param readPasted reads a token that the user pastes instead
 */
export async function requestBrowserToken(
  host: string,
  options: BrowserOptions,
  readPasted: () => Promise<string>,
): Promise<string> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true });
  const key: PrivateJwk = await exportJWK(privateKey);
  const redirect = await LoopbackRedirect.listen();
  try {
    const address = new URL(`${host}/console/tokens/new`);
    address.search = new URLSearchParams({
      preset: 'xapi',
      // Without half a character at the end, which an address can't have.
      name: `xapi on ${hostname()}`.slice(0, MAX_NAME_LENGTH).replace(/[\ud800-\udbff]$/, ''),
      key: key.x!,
      port: String(redirect.port),
      state: redirect.state,
    }).toString();
    const answer = redirect.waitForAnswer(address, 'token', {}, options);
    return await Promise.race([answer.then((sealed) => openToken(sealed, key)), readPasted()]);
  } finally {
    redirect.close();
  }
}

async function openToken(sealed: string, key: PrivateJwk): Promise<string> {
  const { token } = (await openSealedJson(sealed, key)) as { token: string };
  return token;
}
