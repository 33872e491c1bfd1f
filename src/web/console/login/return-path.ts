const CONSOLE_HOME = '/console';
const PLACEHOLDER_ORIGIN = 'http://here.invalid';

/** Returns the requested path if it is a page of the console, else the console's home page. */
export function sanitizeReturnPath(requestedPath: string | undefined): string {
  // Browsers treat a backslash as a slash and ignore tabs and line breaks.
  if (!requestedPath?.startsWith('/') || /[\\\p{Cc}]/u.test(requestedPath)) return CONSOLE_HOME;
  const url = URL.canParse(requestedPath, PLACEHOLDER_ORIGIN) ? new URL(requestedPath, PLACEHOLDER_ORIGIN) : null;
  if (url?.origin !== PLACEHOLDER_ORIGIN) return CONSOLE_HOME;
  return /^\/console(\/(?!\/)|$)/.test(url.pathname) ? url.pathname + url.search : CONSOLE_HOME;
}

/** Returns the path of the sign-in page that leads back to `path`. */
export function buildSignInPath(path: string): string {
  return path === CONSOLE_HOME
    ? `${CONSOLE_HOME}/sign-in`
    : `${CONSOLE_HOME}/sign-in?return=${encodeURIComponent(path)}`;
}
