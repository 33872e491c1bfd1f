import { CSRF_FIELD, Form } from './form';
import { HtmlPage } from './html-page';
import { renderConsolePage } from './render-console-page';
import type { Viewer } from './viewer';

const ADA: Viewer = {
  accountId: 'acc_1',
  username: 'ada',
  deviceId: 'dev_1',
  loginId: 's',
  csrfToken: 'n.mac',
};
const HOSTILE = `"><script>alert('x')</script>&`;

describe('a page', () => {
  it('escapes every text, in content, attributes and title', () => {
    const content = <p title={HOSTILE}>{HOSTILE}</p>;
    const html = renderConsolePage(
      new HtmlPage(content, { title: HOSTILE }),
      { ...ADA, username: HOSTILE },
      '/console',
    );
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('"><script');
    expect(html.match(/&lt;script>/g)!.length).toBeGreaterThanOrEqual(4);
  });

  it('has a document of one language, one heading place and no inline style or script', () => {
    const html = renderConsolePage(
      new HtmlPage(<h1>x</h1>, { title: 'x', script: 'sign-in.js' }),
      null,
      '/console/sign-in',
    );
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toMatch(/<script type="module" src="\/console\/assets\/[\w-]{12}\/browser\/sign-in\.js"><\/script>/);
    expect(html).not.toMatch(/\sstyle=|\son\w+=|<style/);
  });

  it('gives each form the token of its viewer, and offers to sign out', () => {
    const content = <Form action="/console/x">y</Form>;
    const html = renderConsolePage(new HtmlPage(content, { title: 'x' }), ADA, '/console');
    expect(html.split(`name="${CSRF_FIELD}" value="n.mac"`)).toHaveLength(3);
    expect(html).toContain('action="/console/sign-out"');
  });

  it('has nothing of a viewer where nobody is signed in', () => {
    const html = renderConsolePage(new HtmlPage(<Form action="/x">y</Form>, { title: 'x' }), null, '/console');
    expect(html).not.toContain(CSRF_FIELD);
    expect(html).not.toContain('sign-out');
  });
});
