const PAGES = 'e2e-embedded test/e2e/console/pages.spec.ts';
const LOGIN = 'e2e-embedded test/e2e/console/login.spec.ts';
const CSRF = 'unit src/access/auth/csrf-token.service.spec.ts';
const INTERCEPTOR = 'src/web/console/html/page.interceptor.ts';

/** The console’s defence against requests of other sites, and its login. */
export default [
  {
    id: 'C1',
    breaks: 'A form that another site submits is accepted if it has a token.',
    file: INTERCEPTOR,
    find: '    rejectCrossSiteRequest(request);\n',
    replace: '',
    suites: [PAGES],
  },
  {
    id: 'C2',
    breaks: 'A CSRF token is valid in every login.',
    file: 'src/access/auth/csrf-token.service.ts',
    find: 'return `${nonce}.${loginId}`;',
    replace: 'return nonce;',
    suites: [CSRF],
  },
  {
    id: 'C3',
    breaks: 'A neighboring subdomain may start and end logins.',
    file: 'src/access/auth/same-site.ts',
    find: " || site === 'same-site'",
    replace: '',
    suites: [LOGIN],
  },
  {
    id: 'C4',
    breaks: 'Forms need no CSRF token.',
    file: INTERCEPTOR,
    find: 'if (!isSafeMethod(request)) this.verifyCsrfToken(request);',
    replace: '',
    suites: [PAGES],
  },
  {
    id: 'C5',
    breaks: 'Scripts can read the login cookie.',
    file: 'src/access/auth/login-cookie.ts',
    find: 'httpOnly: true',
    replace: 'httpOnly: false',
    suites: [LOGIN],
  },
  {
    id: 'C6',
    breaks: 'Text after a CSRF token is ignored.',
    file: 'src/access/auth/csrf-token.service.ts',
    find: ' || rest.length > 0',
    replace: '',
    suites: [CSRF],
  },
  {
    id: 'C7',
    breaks: 'A person who links a browser to sign in to an app does not get back to its request.',
    file: 'src/web/console/sign-in/sign-in.controller.tsx',
    find: '<LinkPage {...signInDestination} />',
    replace: '<LinkPage {...signInDestination} returnPath="/console" />',
    suites: ['e2e-embedded test/e2e/console/consent.spec.ts'],
  },
  {
    id: 'C8',
    breaks: 'The consent page never shows the homepage of an app.',
    file: 'src/web/console/consent/consent-page.tsx',
    find: '{homepageHost !== null && (',
    replace: "{homepageHost === '' && (",
    suites: ['e2e-embedded test/e2e/console/consent.spec.ts'],
  },
];
