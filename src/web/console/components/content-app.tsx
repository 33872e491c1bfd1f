import { useContext } from 'preact/hooks';
import { ViewerContext } from '../html/viewer';

/**
 * Place of a page whose browser module reads and decrypts content. The service sends ciphertext and has no key.
 * @param props what the module needs besides the account and the CSRF token
 * @param hint shown without JavaScript
 */
export function ContentApp({
  props = {},
  hint = 'This page decrypts content in your browser and needs JavaScript.',
}: {
  props?: Record<string, unknown>;
  hint?: string;
}) {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('Content is shown to a signed-in user only.');
  const { accountId, csrfToken } = viewer;
  return (
    <>
      <div id="content-app" data-props={JSON.stringify({ ...props, accountId, csrfToken })} />
      <noscript>
        <p class="notice problem">{hint}</p>
      </noscript>
    </>
  );
}
