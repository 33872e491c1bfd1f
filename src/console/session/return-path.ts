const HOME = '/console';
const HERE = 'http://here.invalid';

/** Where a sign-in leads: only to a page of the console, whatever an address asks for; else to its first page. */
export function returnPath(wanted: string | undefined): string {
  // Browsers take a backslash for a slash, and pass over tabs and line ends.
  if (!wanted?.startsWith('/') || /[\\\p{Cc}]/u.test(wanted)) return HOME;
  const url = URL.canParse(wanted, HERE) ? new URL(wanted, HERE) : null;
  if (url?.origin !== HERE) return HOME;
  return /^\/console(\/(?!\/)|$)/.test(url.pathname) ? url.pathname + url.search : HOME;
}

/** The sign-in page that leads back there. */
export function signInPath(path: string): string {
  return path === HOME ? `${HOME}/sign-in` : `${HOME}/sign-in?return=${encodeURIComponent(path)}`;
}
