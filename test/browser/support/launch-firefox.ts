import { firefox, type Browser } from 'playwright-core';
import { ws as WebSocketClient } from 'playwright-core/lib/utilsBundle';
import { findInstalledProgram } from '../../support/dependencies';

/** Playwright sends this command for each context, but Firefox doesn't implement it. It would override preferences. */
const UNKNOWN_COMMAND = 'emulation.setMediaFeaturesOverride';

/** Launches Debian's Firefox without a window. Playwright controls it with WebDriver BiDi. */
export function launchFirefox(args: string[]): Promise<Browser> {
  acknowledgeUnknownCommand();
  return firefox.launch({ channel: 'moz-firefox', executablePath: findInstalledProgram('firefox') ?? undefined, args });
}

let isAcknowledged = false;

/** Answers the command in place of Firefox. */
function acknowledgeUnknownCommand(): void {
  if (isAcknowledged) return;
  isAcknowledged = true;
  const { prototype } = WebSocketClient;
  const send = prototype.send;
  prototype.send = function (text, ...options) {
    const { id, method } = JSON.parse(text) as { id: number; method?: string };
    if (method !== UNKNOWN_COMMAND) return send.call(this, text, ...options);
    const response = JSON.stringify({ type: 'success', id, result: {} });
    setImmediate(() => this.emit('message', Buffer.from(response), false));
  };
}
