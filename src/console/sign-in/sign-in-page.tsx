import { Card, Way, type Destination } from './card';

/** One click where the browser is known; else the ways to become so. */
export function SignInPage({ to, app }: Destination) {
  return (
    <Card heading="Sign in" to={to} app={app}>
      <section id="known" hidden>
        <ul class="choices" id="known-accounts" />
        <template id="known-account">
          <li>
            <button type="button" class="choice">
              <span class="avatar" aria-hidden="true" />
              <span>
                Continue as <strong />
                <small>This browser is one of the account’s devices</small>
              </span>
            </button>
            <button type="button" class="plain forget">
              Forget
            </button>
          </li>
        </template>
        <p class="divider">or</p>
      </section>
      <section id="ways" hidden>
        <ul class="choices">
          <li class="choice">
            <Way page="link" to={to}>
              Link this browser to my account
            </Way>
            <small>Another device of yours approves it with a code</small>
          </li>
          <li class="choice">
            <Way page="sign-up" to={to}>
              Create an account
            </Way>
            <small>No password, no e-mail: keys in this browser, and a recovery key on paper</small>
          </li>
          <li class="choice">
            <Way page="recover" to={to}>
              Use my recovery key
            </Way>
            <small>When no other device is left</small>
          </li>
        </ul>
      </section>
    </Card>
  );
}
