/** What the scripts of every page need (src/web/console/html/console-navigation.tsx). */
export interface PageShell {
  accountId: string;
  csrfToken: string;
  /** Module that searches the console. */
  goToUrl: string;
  /** Module that decrypts titles of sessions. */
  titlesUrl: string;
}

/** Returns null on pages without navigation. */
export function readPageShell(): PageShell | null {
  const navigation = document.getElementById('navigation');
  return navigation ? (JSON.parse(navigation.dataset.shell!) as PageShell) : null;
}
