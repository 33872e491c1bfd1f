import { useState } from 'preact/hooks';

const TEXTS: Partial<Record<NotificationPermission, string>> = {
  granted: 'This browser notifies you when an agent asks, while a page of the console is open.',
  denied: 'Notifications are blocked in the settings of this browser.',
};

/** Asks for the permission to show notifications, only after a click. */
export function NotificationChoice() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : null));
  if (permission === null) return null;
  if (permission !== 'default') return <p class="hint">{TEXTS[permission]}</p>;
  return (
    <p>
      <button
        type="button"
        class="secondary"
        onClick={() => void Notification.requestPermission().then(setPermission)}
      >
        Notify me in this browser
      </button>
    </p>
  );
}
