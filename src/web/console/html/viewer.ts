import { createContext } from 'preact';

/** The signed-in user, as every page shows it. */
export interface Viewer {
  accountId: string;
  username: string;
  deviceId: string;
  /** As returned by `getLoginId`. */
  loginId: string;
  /** CSRF token of this page's forms. */
  csrfToken: string;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set on console pages; null if no one is signed in. */
    viewer?: Viewer | null;
  }
}

/** Viewer for components; null on public pages. */
export const ViewerContext = createContext<Viewer | null>(null);
