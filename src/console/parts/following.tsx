import type { ComponentChildren } from 'preact';

interface FollowingProps {
  /** False where nothing more comes. */
  live: boolean;
  /** What comes, as in "New deliveries: 2". */
  what: string;
  /** Each a `Part`. */
  children: ComponentChildren;
}

/** What the page's module `follow.js` keeps as it is on the server while it is looked at; else a reload does. */
export function Following({ live, what, children }: FollowingProps) {
  return (
    <>
      {live && (
        <div class="following" id="following" hidden>
          <p class="live" role="status">
            Live
          </p>
          <button type="button" class="plain">
            Stop following
          </button>
        </div>
      )}
      <div id="followed" data-live={live ? 'true' : undefined} data-what={what} data-parts="">
        {children}
      </div>
    </>
  );
}

/** A piece that is left alone while it stays the same. */
export function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return <div data-key={name}>{children}</div>;
}
