import { describeBrowser } from '@external-api/pages';
import { showProblem } from './form-page';

/** Returns why this browser cannot be a device; null if it can. */
async function findShortcoming(): Promise<string | null> {
  if (!isSecureContext) {
    return `Browsers allow keys only on pages over https or on localhost. Open ${location.host} over https.`;
  }
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
  } catch {
    return (
      'This browser does not support Ed25519 or X25519 in WebCrypto, so it cannot be a device of your account. ' +
      'Current versions of Chrome, Edge, Firefox and Safari support both.'
    );
  }
  return null;
}

/** Runs a page's module, unless this browser cannot be a device. */
export async function withKeys(begin: () => void | Promise<void>): Promise<void> {
  const problem = await findShortcoming();
  if (problem) return showProblem(problem);
  try {
    await begin();
  } catch (error) {
    showProblem(error);
  }
}

/** Platform of this device, as other devices see it. */
export const BROWSER_PLATFORM = 'browser';

/** Fills in the name of the device, unless the user has entered one. */
export function fillDeviceName(form: HTMLFormElement): void {
  const input = form.elements.namedItem('device-name') as HTMLInputElement;
  input.value ||= describeBrowser(navigator.userAgent) ?? 'Browser';
}
