const MAX_TOASTS = 3;

/** Short notices at the edge of the page, which stay until they are dismissed or no longer true. */
export class Toasts {
  private readonly region = document.createElement('section');
  private readonly toasts = new Map<string, HTMLElement>();

  constructor() {
    this.region.className = 'toasts';
    this.region.ariaLabel = 'Notices';
    this.region.ariaLive = 'polite';
    document.body.append(this.region);
  }

  show(id: string, text: string, path: string): void {
    const toast = document.createElement('div');
    toast.className = 'toast';
    const link = document.createElement('a');
    link.href = path;
    link.textContent = text;
    const paragraph = document.createElement('p');
    paragraph.append(link);
    const dismiss = document.createElement('button');
    dismiss.type = 'button';
    dismiss.className = 'plain';
    dismiss.textContent = 'Dismiss';
    dismiss.addEventListener('click', () => this.remove(id));
    toast.append(paragraph, dismiss);
    this.remove(id);
    this.toasts.set(id, toast);
    this.region.append(toast);
    const [oldestId] = this.toasts.keys();
    if (this.toasts.size > MAX_TOASTS) this.remove(oldestId!);
  }

  /** @param ids requests that still wait */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.toasts.keys()) if (!ids.has(id)) this.remove(id);
  }

  private remove(id: string): void {
    this.toasts.get(id)?.remove();
    this.toasts.delete(id);
  }
}
