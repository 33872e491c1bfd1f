/** Action of the pages from which sessions are started. */
export const NEW_SESSION_LINK = { path: '/console/sessions/new', text: 'New session' };
