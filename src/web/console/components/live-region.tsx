import type { ComponentChildren } from 'preact';

interface LiveRegionProps {
  /** False when no further updates are expected. */
  isLive: boolean;
  /** Plural noun of the status line, as in "New deliveries: 2". */
  subject: string;
  /** `LiveRegionItem` elements. */
  children: ComponentChildren;
}

/** Content that `live-updates.js` refreshes while the page is visible. Without scripts, a reload refreshes it. */
export function LiveRegion({ isLive, subject, children }: LiveRegionProps) {
  return (
    <>
      {isLive && (
        <div class="following" id="following" hidden>
          <p class="live" role="status">
            Live
          </p>
          <button type="button" class="plain">
            Pause live updates
          </button>
        </div>
      )}
      <div id="followed" data-live={isLive ? 'true' : undefined} data-what={subject} data-parts="">
        {children}
      </div>
    </>
  );
}

/** Part of a live region that is replaced only when its HTML changes. */
export function LiveRegionItem({ name, children }: { name: string; children: ComponentChildren }) {
  return <div data-key={name}>{children}</div>;
}
