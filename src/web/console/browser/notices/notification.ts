/** Shows a notification of the browser, if the user has allowed that. @param id of which one at most is shown */
export function notifyUser(id: string, text: string, path: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification('External API', { body: text, tag: id });
    notification.addEventListener('click', () => {
      window.focus();
      location.assign(path);
    });
  } catch {
    // Chrome on Android has notifications of service workers only.
  }
}
