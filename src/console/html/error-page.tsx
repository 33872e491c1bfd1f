import type { ApiError } from '../../common/errors';
import { Page } from './page';

interface Words {
  heading: string;
  /** Instead of the error's own detail. */
  text?: string;
}

const WORDS: Record<number, Words> = {
  401: {
    heading: 'You are signed out',
    text: 'Your session has ended. Sign in and try again; nothing was changed.',
  },
  403: { heading: 'That was refused' },
  404: { heading: 'There is nothing here', text: 'The address is wrong, or what was here is gone.' },
  405: { heading: 'This page does not work that way', text: 'Open it from the console instead.' },
  429: { heading: 'Too many requests' },
  500: { heading: 'Something went wrong here', text: 'It is not your fault. Try again in a moment.' },
  503: {
    heading: 'Not available right now',
    text: 'The service cannot answer at the moment. Try again soon.',
  },
};

/** A refusal in words: what happened, and where to go from here. */
export function errorPage(error: ApiError, requestId: string): Page {
  const { heading, text } = WORDS[error.status] ?? { heading: error.title };
  const content = (
    <section class="card">
      <p class="eyebrow">{`Error ${error.status}`}</p>
      <h1>{heading}</h1>
      <p>{text ?? error.detail}</p>
      <p>
        {error.status === 401 ? (
          <a class="button" href="/console/sign-in">
            Sign in
          </a>
        ) : (
          <a class="button secondary" href="/console">
            To the console
          </a>
        )}
      </p>
      <p class="fine">
        Request <code>{requestId}</code>
      </p>
    </section>
  );
  return new Page(content, { title: heading, narrow: true });
}
