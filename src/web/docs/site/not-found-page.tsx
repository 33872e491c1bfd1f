import { FIRST_PAGE_PATH, REFERENCE_PATH } from './page-catalog';

const DESTINATIONS = [
  { path: FIRST_PAGE_PATH, title: 'Getting started', text: 'The first calls, step by step.' },
  { path: REFERENCE_PATH, title: 'API reference', text: 'All operations with their fields and errors.' },
  { path: '/docs/errors', title: 'Errors', text: 'Cause and remedy of each error code.' },
  { path: '/docs/protocol', title: 'Protocol', text: 'The contract for authors of clients and devices.' },
];

/** Explains that a page doesn't exist, and links to where it may be. */
export function NotFoundPage() {
  return (
    <article class="not-found">
      <p class="eyebrow">Error 404</p>
      <h1>Page not found</h1>
      <p>The address is wrong, or the page has moved. Search the documentation, or continue with one of these pages:</p>
      <ul class="destinations">
        {DESTINATIONS.map(({ path, title, text }) => (
          <li key={path}>
            <a href={path}>
              <strong>{title}</strong>
              <span>{text}</span>
            </a>
          </li>
        ))}
      </ul>
    </article>
  );
}
