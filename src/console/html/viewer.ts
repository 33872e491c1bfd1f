import { createContext } from 'preact';

/** Who looks at a page: the signed-in person, as far as every page shows it. */
export interface Viewer {
  accountId: string;
  username: string;
  deviceId: string;
  /** Identifies the browser session without being good for it. */
  session: string;
  /** For the forms of this one page. */
  csrfToken: string;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** On a page of the console; null where nobody is signed in. */
    viewer?: Viewer | null;
  }
}

/** For components: null on pages that anybody may see. */
export const ViewerContext = createContext<Viewer | null>(null);
