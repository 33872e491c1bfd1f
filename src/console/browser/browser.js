import { showProblem } from './page.js';

/**
 * What this browser cannot do that it would have to, in words; null when it can be a device.
 * @returns {Promise<string | null>}
 */
async function shortcoming() {
  if (!isSecureContext) {
    return `Browsers give keys to pages over https and on localhost only. Open ${location.host} over https.`;
  }
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
  } catch {
    return (
      'This browser lacks Ed25519 or X25519 in WebCrypto, which it would need to be a device of your account. ' +
      'Current versions of Chrome, Edge, Firefox and Safari have both.'
    );
  }
  return null;
}

/**
 * Begins a page, unless this browser cannot be a device.
 * @param {() => Promise<void>} begin
 */
export async function withKeys(begin) {
  const problem = await shortcoming();
  if (problem) return showProblem(problem);
  await begin().catch(showProblem);
}

/** What other devices are shown of this one; the name is a proposal. */
export const platform = 'browser';

export function proposedName() {
  const { userAgent } = navigator;
  const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
  const names = ['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari'];
  const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'CrOS', 'Linux'];
  const system = systems.find((name) => userAgent.includes(name));
  const browser = names[browsers.findIndex((name) => userAgent.includes(name))] ?? 'Browser';
  return system ? `${browser} on ${system.replace('Mac OS X', 'macOS').replace('CrOS', 'ChromeOS')}` : browser;
}

/** @param {HTMLFormElement} form */
export function proposeName(form) {
  const input = /** @type {HTMLInputElement} */ (form.elements.namedItem('device-name'));
  input.value ||= proposedName();
}
