import { renderToString } from 'preact-render-to-string';
import { ConsoleLayout } from './console-layout';
import type { Viewer } from './viewer';

const ADA: Viewer = { accountId: 'acc_1', username: 'ada', deviceId: 'dev_1', loginId: 's', csrfToken: 'c' };

describe('the navigation', () => {
  const html = (path: string, viewer: Viewer | null = ADA, narrow = false) =>
    renderToString(
      <ConsoleLayout options={{ title: 'x', isNarrow: narrow }} viewer={viewer} path={path}>
        y
      </ConsoleLayout>,
    );

  it('names the pages that there are, and marks the one that is open', () => {
    const page = html('/console/tokens/tok_1');
    expect(page).toContain('<a href="/console/tokens" aria-current="page">Tokens</a>');
    expect(page).toContain('<a href="/console/authorized-apps">Authorized apps</a>');
    expect(html('/console/tokenstream')).not.toContain('aria-current');
  });

  it('is in groups, which have names', () => {
    const page = html('/console');
    for (const [name, first, last] of [
      ['Work', 'Home', 'Artifacts'],
      ['Developers', 'Tokens', 'Usage'],
      ['Account', 'Devices', 'Settings'],
    ]) {
      const group = new RegExp(`<p id="pages-${name}">${name}</p><ul aria-labelledby="pages-${name}">(.*?)</ul>`);
      const names = [...group.exec(page)![1]!.matchAll(/>([^<>]+)<\/a>/g)].map(([, text]) => text);
      expect([names[0], names.at(-1)]).toEqual([first, last]);
    }
  });

  it('opens on narrow screens without a script', () => {
    expect(html('/console')).toMatch(
      /<button [^>]*popovertarget="navigation">Menu .*<nav id="navigation" popover="auto"/,
    );
  });

  it('is not there for strangers, nor on a page for one thing', () => {
    expect(html('/console/tokens', null)).not.toContain('<nav');
    expect(html('/console/tokens', ADA, true)).not.toContain('<nav');
  });
});
